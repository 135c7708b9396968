-- What the guide of Penlight shows, of modules that need no file system.
local List = require "pl.List"
local l = List {10, 20, 30, 40}
print(l:slice(2, 3), l:map("+", 1), l:reverse(), l:contains(20), l:index(30), #l)
print(List.range(1, 10):filter(function(x) return x % 2 == 0 end):reduce("+"))
print(List.split("a b c"):join("-"), List {3, 1, 2}:sort(), List {1, 2} .. List {3})
local class = require "pl.class"
local Animal = class()
function Animal:_init(name) self.name = name end
function Animal:__tostring() return self.name .. ": " .. self:speak() end
local Dog = class(Animal)
function Dog:speak() return "bark" end
local Cat = class(Animal)
function Cat:_init(name, breed) self:super(name) self.breed = breed end
function Cat:speak() return "meow" end
function Cat:__eq(other) return self.breed == other.breed end
local felix = Cat("Felix", "Tabby")
print(Dog "Fido", felix, felix:is_a(Animal), felix:is_a(Dog), Dog:class_of(felix), felix == Cat("x", "Tabby"))
local stringx = require "pl.stringx"
print(stringx.split("a, b,c", ","):len(), stringx.strip("  x "), stringx.startswith("abc", "ab"))
print(stringx.replace("a.b.c", ".", "-"), stringx.center("x", 5, "*"), stringx.title("hello world"))
print(stringx.partition("key=value=x", "="))
print(stringx.lines("a\nb")(), stringx.isalpha("abc"), stringx.count("banana", "an"))
local tablex = require "pl.tablex"
print(tablex.deepcompare({1, {2, x = 3}}, tablex.deepcopy {1, {2, x = 3}}))
print(List(tablex.imap(string.upper, {"a", "b"})), tablex.find({5, 6, 7}, 7), tablex.size {a = 1, b = 2})
print(List(tablex.keys {a = 1, b = 2}):sort(), List(tablex.zip({1, 2}, {"a", "b"})[2]))
local OrderedMap = require "pl.OrderedMap"
local m = OrderedMap()
m:set("z", 1)
m:set("y", 2)
m:set("z", 3)
print(m, m:keys(), m:values())
local Set = require "pl.Set"
local s = Set {1, 2} + Set {2, 3}
print(List(Set.values(s)):sort(), Set {1} < s, Set.len(s * Set {3, 4}))
local pretty = require "pl.pretty"
print(pretty.write({1, 2, {x = "a b"}}, ""), pretty.write({10, {20}}))
print(pretty.read("{1, 2, {x = 'y'}}")[3].x, pretty.read("os.exit()"))
print(pretty.number(123456, "N"), pretty.number(4096, "M"))
local seq = require "pl.seq"
print(seq.sum {1, 2, 3}, List(seq.copy(seq.filter(seq.list {1, 5, 2}, seq.greater_than(1)))))
for a, b in seq.zip({1, 2}, {"x", "y"}) do print(a, b) end
local template = require "pl.template"
print(template.substitute([[
# for i, name in ipairs(names) do
$(i): $(name:upper())
# end]], {names = {"ann", "bob"}, ipairs = ipairs}))
local lexer = require "pl.lexer"
for kind, value in lexer.lua("local x = 'a' .. 10 -- end", {}) do io.write(kind, "=", value, " ") end
print()
local sip = require "pl.sip"
local found = {}
print(sip.match("$v{name} = $d{n}", "count = 12", found), found.name, found.n)
local func = require "pl.func"
local _1, _2 = func._1, func._2
print(func.I(_1 * 2 + _2)(3, 4), List {1, 2}:map(_1 ^ 2))
local comprehension = require "pl.comprehension".new()
print(List(comprehension "x^2 for x=1,4" ()), comprehension "sum(x for x)" {1, 2, 3})
local text = require "pl.text"
print(text.dedent("    a\n      b\n"), text.wrap("the quick brown fox", 10), text.Template("$a and ${b}"):substitute {a = 1, b = 2})
local xml = require "pl.xml"
local doc = xml.parse("<root a='1'><b>text &amp; more</b><c/></root>")
print(doc, doc.tag, doc.attr.a, doc:child_with_name("b"):get_text(), doc:get_elements_with_name("c")[1].tag)
local permute = require "pl.permute"
for p in permute.iter {1, 2, 3} do io.write(table.concat(p), " ") end
print()
local array2d = require "pl.array2d"
print(List(array2d.column({{1, 2}, {3, 4}}, 2)), array2d.reduce_rows("+", {{1, 2}, {3, 4}})[2])
local url = require "pl.url"
print(url.quote("a b&c"), url.unquote("a%20b"))
local types = require "pl.types"
print(types.is_callable(print), types.is_empty {}, types.to_bool("yes"), types.type(l))
local utils = require "pl.utils"
print(utils.choose(true, 1, 2), List(utils.split("a,b", ",")), utils.is_type(1, "number"), utils.bind1(math.max, 10)(5))
print(pcall(utils.assert_arg, 1, "x", "number"))
local MultiMap = require "pl.MultiMap"
local mm = MultiMap()
mm:set("a", 1)
mm:set("a", 2)
print(List(mm:get("a")))
local stringio = require "pl.stringio"
local f = stringio.open("line\n12 rest")
print(f:read "*l", f:read "*n", f:read "*a")
local data = require "pl.data"
local rows = data.read(stringio.open("x,y\n1,2\n3,4\n"))
print(rows.fieldnames, List(rows[2]), List(rows:column_by_name("y")))
