-- An array of booleans: the primes up to n.
local n = tonumber(arg and arg[1]) or 5000
local count = 0
for _ = 1, 3 do
  local sieve = {}
  for i = 2, n do sieve[i] = true end
  count = 0
  for i = 2, n do
    if sieve[i] then
      count = count + 1
      for k = i * i, n, i do sieve[k] = false end
    end
  end
end
print(count)
