-- What the tutorial shows of functions on tables, arrays, functions and objects.
local moses = require "moses"
local function guarded(f, name)
  return function(...)
    if not f then return "no " .. name end
    local results = table.pack(pcall(f, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
    return "error: " .. tostring(results[2]):gsub("^.-:%d+: ", "")
  end
end
local M = setmetatable({}, {
  __index = function(_, name) return guarded(moses[name], name) end,
  __call = function(_, ...) return moses(...) end,
})
local function show(v, depth)
  if type(v) ~= "table" then return (tostring(v):gsub("0x%x+", "ADDRESS")) end
  local keys, out = {}, {}
  for key in pairs(v) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    out[#out + 1] = (type(key) == "number" and "" or tostring(key) .. "=") .. show(v[key])
  end
  return "{" .. table.concat(out, ",") .. "}"
end
local function p(...)
  local out = table.pack(...)
  for i = 1, out.n do out[i] = show(out[i]) end
  print(table.concat(out, " "))
end
local function even(v) return v % 2 == 0 end
p(M.adjust({1, 2, 3}, 2, math.exp)[2] > 7, M.count({1, 1, 2, 3, 3, 3, 2, 4, 3, 2}, 3), M.countf({1, 2, 3, 4, 5, 6}, even))
p(M.allEqual({1, 1, 1}), M.allEqual {1, 2}, M.at({4, 5, 6}, 1, 3), M.map({1, 2, 3}, function(v) return v + 10 end))
p(M.mapi({a = 1, 2}, function(v) return v * 2 end), M.reduce({1, 2, 3, 4}, function(a, b) return a + b end))
p(M.best({"lua", "is", "so", "expressive"}, function(a, b) return #a > #b end), M.reduceRight({256, 2, 4}, function(a, b) return a / b end))
p(M.mapReduce({"a", "b", "c"}, function(a, b) return a .. b end), M.include({6, 8, 10}, 8), M.detect({6, 8, 10}, 10), M.findWhere({{a = 1, b = 2}, {a = 2}}, {a = 2}))
p(M.where({{a = 1, b = 2}, {a = 1}, {a = 2}}, {a = 1}), M.select({1, 2, 3, 4}, even), M.reject({1, 2, 3, 4}, even), M.all({2, 4}, even))
p(M.invoke({"a", "bc"}, string.len), M.pluck({{n = 1}, {n = 2}}, "n"), M.max {1, 9, 3}, M.min({"aa", "b"}, string.len))
p(M.same({1, 2, 3}, {3, 2, 1}), M.sort({3, 1, 2}, function(a, b) return a > b end), M.sortBy({"aaa", "b", "cc"}, string.len))
p(M.groupBy({0, 1, 2, 3, 4, 5}, function(v) return even(v) and "even" or "odd" end), M.countBy({0, 1, 2, 3, 4}, function(v) return even(v) and "even" or "odd" end))
p(M.size({1, 2, 3}), M.containsKeys({a = 1, b = 2}, {a = 5}), M.sameKeys({a = 1}, {a = 2}))
p(M.sample({1}, 1), M.nsorted({7, 3, 1, 9}, 2), M.toArray(1, 2, 3), M.find({5, 6, 7}, 6), M.reverse {1, 2, 3}, M.fill({1, 2, 3, 4}, 0, 2, 3))
p(M.zeros(3), M.ones(2), M.vector("x", 3), M.selectWhile({2, 4, 5, 6}, even), M.dropWhile({2, 4, 5, 6}, even), M.sortedIndex({1, 3, 5}, 4, nil, true))
p(M.indexOf({1, 2, 3, 2}, 2), M.lastIndexOf({1, 2, 3, 2}, 2), M.findIndex({1, 4, 6}, even), M.findLastIndex({1, 4, 6}, even), M.addTop({1}, 2, 3), M.push({1}, 2, 3))
p(M.pop {1, 2, 3}, M.unshift({1, 2, 3}, 2), M.pull({1, 2, 1, 3}, 1), M.removeRange({1, 2, 3, 4, 5}, 2, 4), M.chunk({1, 2, 4, 3, 5}, even), M.slice({1, 2, 3, 4}, 2, 3))
p(M.first({1, 2, 3}, 2), M.initial({1, 2, 3}, 2), M.last({1, 2, 3}, 2), M.rest({1, 2, 3}, 2), M.nth({4, 5}, 2), M.compact {1, false, 3}, M.flatten {1, {2, {3, {4}}}}, M.flatten({1, {2, {3}}}, true))
p(M.difference({1, 2, 3, 4}, {2, 4}), M.union({1, 2}, {2, 3}), M.intersection({1, 2, 3}, {2, 3, 4}, {3}), M.symmetricDifference({1, 2}, {2, 3}), M.unique {1, 1, 2, 3, 2}, M.isunique {1, 2}, M.duplicates {1, 1, 2, 3, 2})
p(M.zip({1, 2}, {"a", "b"}), M.zipWith(function(a, b) return a .. b end, {1, 2}, {"a", "b"}), M.append({1}, {2}), M.interleave({1, 2}, {"a", "b"}), M.interpose({1, 2, 3}, "x"), M.range(1, 10, 3), M.range(3), M.rep("z", 3), M.concat({1, 2}, ";"))
for v in M.partition({1, 2, 3, 4, 5, 6, 7}, 3, 0) do p(v) end
for v in M.overlapping({1, 2, 3, 4, 5}, 3) do p(v) end
for v in M.aperture({1, 2, 3, 4}, 2) do p(v) end
for v in M.permutation {"a", "b", "c"} do p(v) end
p(M.xprod({1, 2}, {"a"}), M.xpairs("x", 1, 2), M.sum {1, 2, 3}, M.product {2, 3, 4}, M.mean {1, 2, 3}, M.median {3, 1, 2, 4}, M.disjoint({1}, {2}))
p(M.identity(5), M.call(math.max, 1, 5), M.constant(6)(), M.compose(function(x) return x + 1 end, function(x) return x * 2 end)(5), M.pipe(3, even), M.complement(even)(3), M.juxtapose(2, even, math.sqrt), M.wrap(function(x) return x * 2 end, function(f, x) return f(x) + 1 end)(4))
p(M.applySpec {min = math.min, max = math.max}(4, 9), M.thread(2, even, tostring), M.before(function(n) return n end, 2)(7), M.after(function(n) return n end, 1)(7))
p(M.bind(math.max, 5)(3), M.bind2(math.fmod, 3)(10), M.bindn(math.max, 1, 9)(4), M.partial(string.rep, "_", 3)("ab"), M.partialRight(string.rep, 3)("ab"), M.curry(function(a, b, c) return a + b + c end, 3)(1)(2)(3), M.flip(string.rep)(3, "ab"), M.nthArg(2)(7, 8, 9), M.unary(math.max)(1, 2), M.ary(math.max, 2)(1, 2, 3), M.over(math.min, math.max)(3, 1, 2), M.overEvery(even, function(x) return x > 3 end)(4), M.overArgs(math.max, math.abs, math.abs)(-5, 3), M.converge(function(a, b) return a - b end, math.max, math.min)(9, 2), M.rearg(string.rep, {2, 1})(2, "xy"))
local calls = 0
local fib
fib = M.memoize(function(n) calls = calls + 1 return n < 2 and n or fib(n - 1) + fib(n - 2) end)
p(fib(40), calls, M.unfold(function(n) if n < 50 then return n * 2, n * 2 end end, 10))
p(M.keys {a = 1}, M.values {a = 1}, M.path({a = {b = {c = 9}}}, "a", "b", "c"), M.spreadPath({a = 1, b = {c = 2}}, "b"), M.flattenPath({a = {b = {c = 9}}}, "a", "b"), M.kvpairs {a = 1}, M.toObj {{"a", 1}, {"b", 2}}, M.invert {a = "x"}, M.property "a" {a = 7}, M.propertyOf {a = 7} "a")
p(M.extend({a = 1}, {b = 2}), M.has({a = 1}, "a"), M.pick({a = 1, b = 2}, "a"), M.omit({a = 1, b = 2}, "a"), M.template({a = 1}, {a = 0, b = 2}), M.isEqual({1, {2, a = {}}}, {1, {2, a = {}}}), M.isEmpty {}, M.isArray {1, 2}, M.isIterable "x", M.isNil(nil), M.isInteger(3.5), M.isNaN(0 / 0))
p(M.chain({1, 2, 3, 4, 5}):filter(even):map(function(v) return v * v end):reduce(function(a, b) return a + b end):value())
p(M({1, 2, 3}):push(4):reverse():value(), M.clone({1, {2}}), M.tabulate(("abc"):gmatch "."), M.iterlen(("abc"):gmatch "."), M.castArray(1), M.skip and true)
