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
local k={} for n in pairs(math) do k[#k+1]=n end table.sort(k) print(table.concat(k,' '))
 local M=math
t(M.random,2,1) t(M.random,0.5) t(M.random,1,2,3) t(M.randomseed,42) t(M.random) t(M.random,100) t(M.random,0) t(M.random,-5,5) t(M.random,M.mininteger,M.maxinteger) t(M.random,1<<40) t(M.randomseed,1.5) t(M.randomseed,2.0,3) t(M.random) t(M.randomseed,'x') t(M.modf,3.7) t(M.modf,-3.7) t(M.modf,5) t(M.modf,1/0) t(M.modf,-1/0) t(M.modf,0/0) t(M.modf,-0.0) t(M.tointeger,'3') t(M.tointeger,3.0) t(M.tointeger,3.5) t(M.tointeger,{}) t(M.tointeger) t(M.tointeger,'x') t(M.tointeger,'3.0') t(M.floor,-3.5) t(M.floor,1e100) t(M.floor,'3.7') t(M.floor,{}) t(M.ceil,-0.5) t(M.fmod,5,3) t(M.fmod,-5,3) t(M.fmod,5,0) t(M.fmod,5,0.0) t(M.fmod,M.mininteger,-1) t(M.fmod,5.5,-2) t(M.abs,M.mininteger) t(M.abs,-0.0) t(M.abs,'-3') t(M.max) t(M.max,1,2.5) t(M.max,2,2.0) t(M.max,2.0,2) t(M.min,1,'0') t(M.max,0/0,1) t(M.max,1,0/0) t(M.ult,1,-1) t(M.ult,1,'x') t(M.type,1) t(M.type,1.0) t(M.type,'1') t(M.type) t(M.log,8,2) t(M.log,100,10) t(M.log,0) t(M.log,-1) t(M.log,2,3) t(M.log,1/0,2) t(M.log,0,2) t(M.log,2^0.5,2) t(M.atan,1) t(M.atan,1,-1) t(M.atan,0,-1) t(M.atan,-0.0,-1) t(M.exp,1) t(M.sqrt,2) t(M.sqrt,-1) t(M.deg,M.pi) t(M.rad,180) t(M.frexp,8) t(M.frexp,0) t(M.ldexp,1,3) t(M.pow,2,3) t(M.cosh,1) t(M.sinh,1) t(M.tanh,1) t(M.log10,1000) t(M.sin,'x') t(M.random,'3') t(M.sin) print(M.pi,M.huge,M.maxinteger,M.mininteger) t(M.frexp,1/0) t(M.frexp,5e-324) t(M.ldexp,1,2000) t(M.ldexp,1,1e10) t(M.ldexp,1,-1074) t(M.frexp,-3) t(M.ldexp,1.5,'3') t(M.log,2,'x') t(M.log,8,2.0) t(M.log,4,0) t(M.log,4,1) t(M.fmod,5,1/0) t(M.fmod,-6,2) t(M.fmod,-6.0,2) t(M.atan,1,2,3) t(M.sqrt,'4') t(M.max,'10','9') t(M.max,10,'9')
for _,v in ipairs{3.7,-3.7,5,1/0,-1/0,0/0,-0.0,1e300,-0.5,2^53} do local a,b=math.modf(v) print(v,a,math.type(a),b,math.type(b)) end t(math.modf,'3') t(math.modf,'3.5') t(math.modf,{})
print(math.type(math.floor(-0.0)),math.ceil('3'),math.type(math.fmod(6,3.0)), math.fmod('6',4),math.type(math.abs('3')),math.type(math.max('10','9')), math.type(math.sqrt(4)))
for _,f in ipairs{'pow','cosh','log10','ldexp','frexp','ult','random'} do if f~='random' then t(math[f]) t(math[f],1) t(math[f],1,2) end t(math[f],'x') end
t(math.deg,'x') t(math.rad,{}) t(math.exp) t(math.abs) t(math.ceil) t(math.tointeger,2^63) t(math.tointeger,'0x10') t(math.tointeger,' 5 ') t(math.fmod,1) t(math.fmod,1,'x') t(math.fmod,math.mininteger,0) t(math.fmod,0,math.mininteger) t(math.fmod,7,-1) t(math.fmod,7,-3)t(math.fmod,-7,3)
math.randomseed(42) local r={} for i=1,6 do r[i]=math.random(1,1000) end print(table.concat(r,' '))
math.randomseed(-1,7) print(math.random(3,3),math.random(0,1),math.random(math.maxinteger),math.random(-1,math.maxinteger), math.random())
print(select('#',math.randomseed()))
t(math.random,1,2.5) t(math.random,'a') t(math.random,nil) t(math.ldexp,1,2.5) t(math.ldexp,1,1<<40) t(math.ldexp,1,-(1<<40))

math.randomseed(123) local n={} for i=1,20 do n[i]=math.random(i*37) end print(table.concat(n,' ')) print(math.random(), math.random()) for i=1,1000 do local v=math.random() assert(v>=0 and v<1) v=math.random(-3,3) assert(v>=-3 and v<=3) end
print(math.sin(0),math.cos(0),math.tan(0),math.asin(1),math.acos(1),math.exp(0),math.log(1),math.sqrt(16)) print(math.huge//1, -math.huge//1, math.pi//1, 7//0.0, -7%math.huge)
do
  local special = {0, 1, -1, 2, -3, 0.5, -0.0, 1.0, -1.0, 2.5, 1/0, -1/0, 0/0, '1', '-1', '0x10'}
  local show = function(v) return v ~= v and 'nan' or tostring(v) end
  for _, x in ipairs(special) do
    for _, y in ipairs(special) do
      local pow = math.pow and show(math.pow(x, y)) or ''
      print(x, y, show(x ^ y), show(x / y), show(x * y), pow, show(math.atan(x, y)))
      if y ~= 0 and y ~= '0' then print(show(x % y), show(x // y), show(math.fmod(x, y))) end
    end
    print(x, show(math.exp(x)), show(math.sqrt(x)), show(math.log(x)), show(math.log(x, 2)), show(math.log(x, 10)))
  end
end
t(math.fmod,'x','y') t(math.fmod,'x',1) t(math.fmod,{},true) t(rawlen,1) t(rawlen,true) t(rawlen) t(rawlen,'ab') t(collectgarbage,'a\0b') t(os.setlocale,'C','a\0b')
do
  local nan = 0/0
  for i = 1, nan do print('up', i) break end
  for i = 1, nan, -1 do print('down', i) break end
  for i = 1.0, nan, -1 do print('down', i) break end
  for _, f in ipairs{'<f', '<d', '>n'} do
    print((string.pack(f, nan):gsub('.', function(c) return string.format('%02x', c:byte()) end)))
  end
end
