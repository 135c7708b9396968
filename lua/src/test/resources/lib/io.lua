-- Prints what functions answer, and errors without the place; addresses are left out.
local function shown(v)
  if math.type(v) == 'float' and v == v and v ~= 1/0 and v ~= -1/0 and v ~= v // 1 then v = ('%.10g'):format(v) end
  return (tostring(v):gsub('0x%x%x%x%x%x+', 'ADDRESS'))
end
local function t(f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 2, r.n do r[i] = shown(r[i]) end
  if not r[1] then r[2] = r[2]:gsub('^[^:]*:%d+: ', '') end
  print(r[1] and 'ok' or 'error', table.concat(r, '\t', 2))
end
local n=os.tmpname() local f=io.open(n,'w') print(io.type(f), io.type(1), io.type(io.stdout)) print(f:write('a',1,' ',2.5,'\n')==f) t(f.write,f,{}) t(f.write) t(f.write,1) print(f:seek()) print(f:seek('set',2)) print(f:seek('end')) t(f.seek,f,'x') t(f.seek,f,'set',-1) t(f.seek,f,'set',1.5) print(f:setvbuf('full',10)) print(f:setvbuf('no')) t(f.setvbuf,f,'x') print(f:flush()) t(f.read,f) print(f:close()) t(f.close,f) t(f.read,f) print(f, io.type(f)) t(io.type) 
t(io.open,'/nonexistent/x') t(io.open,n,'q') t(io.open,n,'rw') t(io.open,n,'r+b') t(io.open,n,'rb+') t(io.open,'/','w') t(io.open,'/tmp') t(function() return io.open('/tmp'):read() end) t(function() return io.open('/tmp'):read('a') end)
f=io.open(n,'w') f:write('line1\nline2\n\n 12 0x1F -3.5e2 nan 99999999999999999999 +7 0x.8p1 1e+ 5x\nend') f:close()
f=io.open(n) print(f:read('l','L','l')) print(f:read('n','n','n','n','n')) print(f:read('n')) print(f:read('a')) print(f:read('a')) print(f:read('l')) print(f:read(0)) print(f:read('n')) f:close()
f=io.open(n) print(f:read(0)) print(f:read(3,100)) print(f:read(1)) t(f.read,f,'x') t(f.read,f,'*l') f:seek('set') print(f:read('*n')) t(f.read,f,-1) f:seek('set') t(f.read,f,{}) print(f:read('*L','*a')) t(f.read,f,'**l') t(f.read,f,'')
f:seek('set') for l in f:lines() do io.write('[',l,']') end print() print(io.type(f)) f:seek('set') for a,b in f:lines(1,'l') do io.write('[',a,'|',tostring(b),']') end print() f:close() t(f.lines,f)
for l in io.lines(n,'L') do io.write('<',l,'>') end print() t(io.lines,'/nonexistent/x') print(select('#',io.lines(n))) print(type(io.lines(n))) 
local it=io.lines(n) while it() do end t(it) t(io.lines,n,'x') t(function() for l in io.lines(n,'x') do end end)
print(io.input()==io.stdin) print(io.type(io.output())) t(io.input,'/nonexistent/x') io.input(n) print(io.read()) print(io.read('n')) io.close(io.input()) t(io.read) t(io.lines) io.input(io.stdin) t(io.close) t(io.output,'/nonexistent/x') t(io.output,1.5)
t(io.popen,'echo hi','x') f=io.popen('echo hi; exit 3') print(f:read('a')) print(f:close()) f=io.popen('cat >/dev/null','w') print(f:write('x')==f) print(f:close()) t(io.popen) 
 print(getmetatable(f).__name, getmetatable(f).__index==getmetatable(f).__index) t(io.open) t(io.open,n,5) t(io.tmpfile) f=io.tmpfile() f:write('abc') f:seek('set') print(f:read('a')) f:close()
do local x<close> =io.open(n) f=x end print(f) t(tostring,f) f=io.open(n,'a+') f:write('XX') f:seek('set',0) print(f:read('l')) f:write('YY') f:seek('end',-4) print(f:read('a')) f:close() f=io.open(n,'r+') f:write('ZZ') f:seek('cur',0) print(f:read('l')) f:close()
t(getmetatable(io.stdout).__index.read,1) t(getmetatable(f).__gc,f) t(getmetatable(f).__tostring,1) t(function() return io.stdout.foo end) t(function() io.stdout.x=1 end) t(function() return #io.stdout end) t(io.read,'n','x')
local many={} for i=1,260 do many[i]='l' end t(io.lines,n,table.unpack(many)) t(io.lines,n,table.unpack(many,1,250)) t(io.close,1) t(io.flush) t(io.write,{}) t(io.write) io.write('x',1,2.0,-0.0,'\n') t(f.flush,f) 
t(function() return io.stdin:write('x') end)

io.write(1,' ',2.0,' ',-0.0,' ',1e100,' ',2^53,' ',1/0,'\n') io.stdout:write('chained '):write('writes\n')
f=io.open(n,'w') for i=1,3000 do f:write(i,'\n') end print(f:seek('cur')) f:close() local sum=0 for l in io.lines(n,'n') do sum=sum+l end print(sum) f=io.open(n) print(#f:read('a'), f:seek('end'), f:seek('set',100), f:read('l'), f:seek('cur',-5), f:read(3), f:seek()) f:close() for a,b in io.lines(n,'n','l') do if a==2 then print(a,b) break end end
f=io.open(n,'w+') f:write('hello world') f:seek('set',6) print(f:read(5)) f:seek('set',0) f:write('J') f:seek('set') print(f:read('a')) f:close() f=io.open(n,'wb') f:write(('x'):rep(10000),'\n',('y'):rep(5000)) f:close() f=io.open(n,'rb') print(#f:read('L'),#f:read('l'),f:read('l')) f:close() print(os.remove(n))
