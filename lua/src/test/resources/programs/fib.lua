-- Calls: Fibonacci's numbers by recursion.
local n = tonumber(arg and arg[1]) or 20
local function fib(k)
  if k < 2 then return k end
  return fib(k - 1) + fib(k - 2)
end
print(fib(n))
