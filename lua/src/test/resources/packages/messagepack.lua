-- Values as bytes and back: every format, options, streams, extensions, errors.
local mp = require "MessagePack"
local function hex(text) return (text:gsub(".", function(c) return ("%02X "):format(c:byte()) end)) end
local numbers = {
  0, 1, 127, 128, 255, 256, 65535, 65536, 4294967295, 4294967296, math.maxinteger, -1, -32, -33, -128, -129,
  -32768, -32769, -2147483648, -2147483649, math.mininteger, 0.5, -1.5, 1e300, 1 / 0, -1 / 0, 3.0,
}
for _, n in ipairs(numbers) do
  local bytes = mp.pack(n)
  print(n, hex(bytes), mp.unpack(bytes) == n, math.type(mp.unpack(bytes)))
end
for _, v in ipairs {true, false, "", "abc", ("x"):rep(31), "\0\255"} do print(hex(mp.pack(v)), mp.unpack(mp.pack(v)) == v) end
for _, n in ipairs {32, 255, 256, 65535, 65536} do
  local bytes = mp.pack(("y"):rep(n))
  print(n, #bytes, hex(bytes:sub(1, 6)), #mp.unpack(bytes))
end
for _, kind in ipairs {"without_hole", "with_hole", "always_as_map"} do
  mp.set_array(kind)
  print(kind, hex(mp.pack {1, 2, 3}), hex(mp.pack {1}), hex(mp.pack {a = {}}))
end
mp.set_array "without_hole"
for _, kind in ipairs {"string_compat", "string", "binary"} do
  mp.set_string(kind)
  print(kind, hex(mp.pack "text"))
end
mp.set_string "string_compat"
mp.set_number "float"
print(hex(mp.pack(1.5)), mp.unpack(mp.pack(1.5)))
mp.set_number "double"
local long = {}
for i = 1, 70000 do long[i] = i % 7 end
local bytes = mp.pack(long)
local back = mp.unpack(bytes)
print(#bytes, hex(bytes:sub(1, 8)), #back, back[70000])
local map = {}
for i = 1, 20 do map["key" .. i] = {i, tostring(i), {n = i / 4}} end
local copy, same = mp.unpack(mp.pack(map)), true
for key, value in pairs(map) do same = same and copy[key][2] == value[2] and copy[key][3].n == value[3].n end
print(same)
for position, value in mp.unpacker(mp.pack(1) .. mp.pack "two" .. mp.pack {3} .. mp.pack(nil)) do
  print(position, type(value), type(value) == "table" and value[1] or value)
end
mp.packers.point = function(buffer, p) mp.packers.ext(buffer, 7, p) end
mp.build_ext = function(tag, data) return {tag = tag, data = data} end
local list = {}
mp.packers.point(list, "\1\2")
local ext = mp.unpack(table.concat(list))
print(hex(table.concat(list)), ext.tag, hex(ext.data))
local function plain(...) return (tostring(select(2, pcall(...))):gsub("^.-:%d+: ", "")) end
print(plain(mp.unpack, "\xC1"))
print(plain(mp.unpack, mp.pack "abc":sub(1, 2)))
print(plain(mp.unpack, mp.pack(1) .. "x"))
print(plain(mp.pack, print))
print(plain(mp.unpack, {}))
print(plain(mp.set_array, "wrong"))
