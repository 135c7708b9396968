-- Documentation of Lua: tokens, names of functions and their parameters, code as HTML.
package.preload.lfs = function()
  local function none() return nil end
  return {attributes = none, currentdir = function() return "/" end, dir = none, mkdir = none, rmdir = none, chdir = none}
end
local lexer = require "ldoc.lexer"
local source = [=[
--- A module.
-- @module example
local M = {}
--- Adds.
-- @param a one number
-- @tparam number b another
-- @return the sum, as `number`
function M.add(a, b) return a + b -- [[ no long comment ]]
end
function M:method(x, ...) return [[long
string]], 'a\'b', 0x1F, 1.5e-3, x ~= nil, ... end
return M
]=]
for kind, value in lexer.lua(source, {}) do print(kind, (tostring(value):gsub("\n", "\\n"))) end
for kind, value in lexer.cpp("int main(void) { /* c */ return x->y << 2; } // end\n#define A 'c'\n", {space = true}) do print(kind, value) end
local tools = require "ldoc.tools"
print(tools.split_dotted_name "alpha.beta", tools.strip "'x'", tools.extract_identifier "name rest")
for _, text in ipairs {"a, b, ...)", "first, -- the first\n second -- the second\n)", ")"} do
  local parameters = tools.get_parameters(lexer.lua(text, {space = true}))
  print(parameters, parameters and parameters.comments and parameters.comments.first)
end
print(tools.get_fun_name(lexer.lua("M.sub:name (a)", {space = true})))
print(tools.this_module_name("/base", "/base/a/b.lua"), tools.join(" ", "a", nil, "b"))
local prettify = require "ldoc.prettify"
local lang = require "ldoc.lang"
function prettify.resolve_inline_references(text) return text end
print(prettify.lua(lang.lua, "example.lua", source, 0, true))
print(prettify.code("cpp", "x.c", "if (a < b) return &c;", 0, true))
local List = require "pl.List"
local template = require "pl.template"
print(template.substitute("# for i, v in ipairs(list) do\n$(i): $(v:upper())\n# end\n", {list = List {"a", "b"}, ipairs = ipairs}))
