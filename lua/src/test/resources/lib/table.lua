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
print'--table' local i,r,m,c,u,s=table.insert,table.remove,table.move,table.concat,table.unpack,table.sort
t(i,{}) t(i,{},1,2,3) t(i,{},3,1) t(i,{},0,1) t(i,{},'1',1) t(i,{},1.5,1) t(i,1,1) t(i) t(i,setmetatable({},{__len=function() return 'x' end}),1) t(i,setmetatable({},{__len=function() return 1.0 end}),1) t(r,{},5) t(r,{1},3) t(r,{1},2) t(r,{},0) t(r,{1},0) t(r,{}) t(r,{1,2},'2') t(m,{},1,math.maxinteger,2) t(m,{},0,math.maxinteger,2) t(m,{},-1,math.maxinteger,2) t(m,{},1,2,3,4) t(m,{},1) t(c,{1,{},2}) t(c,{1,2},{}) t(c,{1,nil,2}) t(c,{1,2},',',1,3) t(c,{1,2.5,'x'},1) t(c,{},'',1,0) t(c,{},'',math.maxinteger,math.maxinteger) t(c,1) t(u) t(u,{},1,3) t(u,1) t(u,'abc',1,2) t(s,{3,1,'x'}) t(s,{3,1,2},1) t(s,{1,2,3,4,5},function() return true end) t(s,setmetatable({},{__len=function() return math.maxinteger end})) t(s,{3,nil,1}) t(table.pack) t(function() return table.pack(1,nil).n end) t(s) t(i,nil,1) t(i,setmetatable({},{__index=1,__len=function() return 0 end}),1) t(i,io.stdout,1) t(s,setmetatable({},{__len=function() return 1e100 end})) t(c,{function() end})
t(s,{1,2,3},function(a,b) error('x') end)

local x={1,2,3} table.insert(x,4) table.insert(x,1,0) print(table.concat(x,',')) print(table.remove(x,1), table.remove(x), table.concat(x,',')) print(table.remove({}), #x)
print(table.unpack({1,2,3})) print(table.unpack({1,2,3},2)) print(table.unpack({1,2,3},-1,1)) print(select('#',table.unpack({},1,200))) print(table.concat(table.move({1,2,3},1,3,3),',')) print(table.concat(table.move({1,2,3},2,3,1),',')) print(table.concat(table.move({1,2,3},1,3,2,{9}),','))
local p=table.pack() print(p.n,#p) p=table.pack(nil,nil) print(p.n) local big={} for i=1,1000 do big[i]=(i*7919)%1009 end table.sort(big) for i=2,1000 do assert(big[i-1]<=big[i]) end table.sort(big,function(a,b) return a>b end) for i=2,1000 do assert(big[i-1]>=big[i]) end print(big[1],big[1000])
local w={'b','a','C','10','9'} table.sort(w) print(table.concat(w,' ')) local f={3.5,1,2,-1/0,1/0} table.sort(f) print(table.concat(f,' ')) print(#table.concat(big,', ',1,1000), table.concat({1,2.5,'x'},'-')) print(pcall(table.sort,{1,'a'})) t(table.sort,{3,2,1},nil) local o=setmetatable({},{__index=function(_,k) return k<=3 and k*k or nil end,__len=function() return 3 end}) print(table.concat(o,' '), table.unpack(o))
