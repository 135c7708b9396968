-- Patterns: matching, counting, replacing.
local n = tonumber(arg and arg[1]) or 5
local words = {"alpha", "beta-2", "gamma_3", "x=10", "(nested (deep))", "1e10", "mail@example.org"}
local text = {}
for i = 1, 200 do text[i] = words[i % #words + 1] .. (i % 5 == 0 and "\n" or " ") end
text = table.concat(text)
local counts = {0, 0, 0, 0, 0, 0}
local patterns = {"%a+", "%d+", "%b()", "[%w_]+@[%w.]+", "%f[%a]%a*a%f[%A]", "(%w+)=(%w+)"}
for _ = 1, n do
  for i, p in ipairs(patterns) do
    for _ in text:gmatch(p) do counts[i] = counts[i] + 1 end
  end
  local replaced, k = text:gsub("(%a)(%a*)", function(a, b) return a:upper() .. b end)
  local again, m = replaced:gsub("%s+", "_")
  counts[1] = counts[1] + k + m + #again
end
print(table.concat(counts, " "))
