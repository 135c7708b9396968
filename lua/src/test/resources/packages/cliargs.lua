-- Arguments of commands: the example that Debian installs, its help, and its errors.
local cli = require "cliargs.core"()
cli:set_name "cli_example.lua"
cli:set_description "An example."
cli:argument("OUTPUT", "path to the output file")
cli:splat("INPUTS", "the source files to read from", "/tmp/foo", 3)
cli:option("-c, --compress=FILTER", "the filter to use for compressing output: gzip, lzma, bzip2, or none", "gzip")
cli:option("-l, --level=N", "a number", nil, function(_, value)
  if not tonumber(value) then return nil, "no number: " .. tostring(value) end
end)
cli:option("-I, --include=PATH", "many of them", {})
cli:flag("-d", "script will run in DEBUG mode")
cli:flag("-v, --version", "prints the program's version", function() print "version 1.2.1" end)
cli:flag("--verbose", "the script output will be very verbose")
cli:flag("--[no-]ice-cream", "ice cream, or not", true)
local function try(...)
  local args, message = cli:parse {...}
  if not args then print("error", message) return end
  local keys = {}
  for key in pairs(args) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    local value = args[key]
    if type(value) == "table" then value = "{" .. table.concat(value, ",") .. "}" end
    keys[i] = key .. "=" .. tostring(value)
  end
  print(table.concat(keys, " "))
end
try("out")
try("out", "one", "two")
try("-d", "--compress=lzma", "--verbose", "--no-ice-cream", "out", "one")
try("-c", "none", "-v", "-I", "a", "-I", "b", "--", "out", "-x")
try("--level=7", "out")
try("--level=x", "out")
try()
try("out", "1", "2", "3", "4")
try("--unknown", "out")
try("--compress", "--verbose", "out")
print(cli.printer.generate_usage())
print(cli.printer.generate_help())
try("--help")
local git = require "cliargs.core"()
git:set_name "git"
local log = git:command("log", "show the log"):argument("PATH", "a path"):flag("--oneline", "short"):action(
  function(options) print("log", options.PATH, options.oneline) end)
print(git:parse {"log", "--oneline", "src"} ~= nil, log ~= nil)
print(git.printer.generate_help())
