-- Bits, base 16, 32, 64 and 85, both ways, with the examples of the README.
local basexx = require "basexx"
print(basexx.to_bit "AC", basexx.from_bit "0100000101000011", basexx.from_bit("01 00-0001", " -"))
print(basexx.to_hex "Hello world!", basexx.from_hex "48656C6C6F20776F726C6421")
print(basexx.from_hex("4865 6c6C6f", " "), basexx.from_hex "4865x")
print(basexx.to_base32 "Hello world!", basexx.from_base32 "JBSWY3DPEB3W64TMMQQQ====")
print(basexx.to_crockford "Hello world!", basexx.from_crockford "91JPRV3F41VPYWKCCGGG")
print(basexx.from_crockford("9ilo-0", "-"))
for _, text in ipairs {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\0\255\254"} do
  local coded, url = basexx.to_base64(text), basexx.to_url64(text)
  print(coded, url, basexx.from_base64(coded) == text, basexx.from_url64(url) == text)
end
print(basexx.from_base64 "TG9yZW!", basexx.from_base64("TG9y\nZW0=", "\n"))
print(basexx.to_z85 "\134\79\210\111\181\89\247\91", basexx.from_z85 "HelloWorld" == "\134\79\210\111\181\89\247\91")
print(basexx.to_z85 "abc", basexx.from_z85 "abc")
local all = {}
for i = 0, 255 do all[#all + 1] = string.char(i) end
local bytes = table.concat(all)
for _, name in ipairs {"bit", "hex", "base32", "crockford", "base64", "url64", "z85"} do
  local coded = basexx["to_" .. name](bytes)
  print(name, #coded, coded:sub(-20), basexx["from_" .. name](coded) == bytes)
end
