-- JSON: encoding with an order of keys, decoding, null, errors.
local json = require "dkjson"
local value = {
  1, 2, 3, "text \"quoted\" \u{1F600} \1", {nested = {true, false, json.null}}, 1.5, -0.25, 1e100,
}
local text = json.encode(value, {indent = true})
print(text)
print(json.encode({b = 1, a = {}, c = {x = 1, y = 2}}, {keyorder = {"a", "b", "c", "x", "y"}}))
local back, position, err = json.decode(text, 1, nil)
print(position == #text + 1, err, #back, back[4] == value[4], back[5].nested[1], back[5].nested[3])
print(json.decode('[1, null, {"a": [] }]', 1, "none")[2])
for _, bad in ipairs {"[1, 2", '{"a" 1}', "nul", '"open', "[1,]", ""} do
  print(select(2, json.decode(bad)))
end
print(getmetatable(json.decode("[]")).__jsontype, getmetatable(json.decode("{}")).__jsontype)
print(json.quotestring("a/b\n\u{2028}"))
local cycle = {}
cycle[1] = cycle
print(pcall(json.encode, cycle))
print(json.encode(setmetatable({}, {__tojson = function() return "custom" end})))
print(json.encode(0 / 0), json.encode(1 / 0), json.encode({[1] = 1, [3] = 3}))
