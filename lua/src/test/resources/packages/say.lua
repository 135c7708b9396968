-- Strings by key, in languages.
local say = require "say"
say:set_namespace "en"
say:set("money", "I have %s dollars")
say:set("wow", "So much money!")
say:set("pair", "%s and %s")
print(say("money", {1000}), say "wow", say("pair", {true, nil, n = 2}))
say:set_namespace "fr"
say:set("money", "J'ai %s euros")
print(say("money", {1000}), say "wow", say "nothing")
say:set_namespace "de"
say:set_fallback "fr"
print(say("money", {"10"}), say "wow", say._registry.en.wow, say.fr.money)
print(select(2, pcall(say, "money", 12)))
print((select(2, pcall(say, "pair", {}))))
for i = 1, 20 do
  say:set("key" .. i, "%s:" .. i)
  io.write(say("key" .. i, {i * i}), " ")
end
print()
