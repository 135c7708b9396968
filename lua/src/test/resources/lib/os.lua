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
print'--os' t(os.time,{year=2024,month=1,day=1,hour=0}) t(os.time,{year=2024}) t(os.time,{year=2024,month='x',day=1}) t(os.time,{year=2024,month=1.5,day=1}) t(os.time,{year=2024,month=14,day=-3,hour=25,min=-1,sec=3600}) t(os.time,{year=1e100,month=1,day=1}) t(os.time,{year=2^40|0,month=1,day=1}) t(os.time,{year=2024,month=1,day=1,isdst=true}) t(os.time,1) t(os.time,{year='2024',month='01',day='1'}) t(os.time,{year=2024,month=2^33,day=1}) t(os.time,{year=-5000,month=1,day=1}) t(os.time,{year=2^31+1899|0,month=12,day=31})t(os.time,{year=2^31+1900|0,month=12,day=31})
local d={year=2024,month=14,day=-3,hour=25,min=-1,sec=3600} os.time(d) local ks={} for k,v in pairs(d) do ks[#ks+1]=k..'='..tostring(v) end table.sort(ks) print(table.concat(ks,' '))
t(os.date,'!%Y-%m-%d %H:%M:%S',0) t(os.date,'!%c',0) t(os.date,'!%x %X %p %A %a %B %b %j %U %w %W %y %Z %% %D %e %F %g %G %h %I %M %n %R %t %T %u %V %C %r %S %s %z',1e9|0) t(os.date,'%',0) t(os.date,'%Q',0) t(os.date,'%E',0) t(os.date,'%Ec %EC %Ex %EX %Ey %EY %Od %Oe %OH %OI %Om %OM %OS %Ou %OU %OV %Ow %OW %Oy',0) t(os.date,'%Ez',0) t(os.date,'%5d',0) t(os.date,'!*x',0) t(os.date,'*tx',0) t(os.date,'!%H',2^60) t(os.date,'!%H',1.5) t(os.date,'!%c',-1) t(os.date,'!%c',67768036191676799) t(os.date,'!%c',67768036191676800) t(os.date,'',0) t(os.date,'!%H\0%M',0) t(os.date,'!%k %l %P %v %+',0) t(os.date,'x%',0)
local d=os.date('!*t',1e9|0) local k={} for n,v in pairs(d) do k[#k+1]=n..'='..tostring(v) end table.sort(k) print(table.concat(k,' '))
t(os.getenv) t(os.getenv,'NOPE') t(os.remove,'/nonexistent/x') t(os.rename,'/nonexistent/x','/tmp/y') t(os.setlocale) t(os.setlocale,nil) t(os.setlocale,'C') t(os.setlocale,'xx') t(os.setlocale,'C','foo') t(os.setlocale,'POSIX','time') t(os.difftime,5,3) t(os.difftime,5) t(os.difftime) t(os.difftime,1.5,1) t(os.execute) t(os.execute,'exit 3') t(os.execute,'true') t(os.execute,'kill -9 $$') t(os.remove)

print(os.time{year=2000,month=1,day=1,hour=0} - os.time{year=1999,month=12,day=31,hour=0}) local n=os.tmpname() local f=io.open(n,'w') f:write('x') f:close() print(os.rename(n,n..'.new')) print(io.open(n)==nil, io.open(n..'.new'):read('a')) print(os.remove(n..'.new')) print(select(3,os.remove(n..'.new'))) print(os.getenv('PATH')~=nil, os.date('!%Y',0), os.clock()>=0, math.type(os.time())) print(os.difftime(os.time(),os.time()-5)) for _,y in ipairs{-400,0,1600,1899,1969,1972,2000,2023,2024,2100,2400,9999} do for _,c in ipairs{'!%F %j %U %W %V %G %u','!%a %b %e %y %C'} do local z=os.date('!*t',0) print(y,os.date(c,os.time{year=y,month=12,day=31,hour=12})) end end
