-- A parser of arguments: options, flags, commands, help, errors.
local argparse = require "argparse"
local parser = argparse("script", "An example.")
parser:argument("input", "Input file.")
parser:option("-o --output", "Output file.", "a.out")
parser:option("-I --include", "Include locations."):count("*")
parser:option("--level"):convert(tonumber):choices {"1", "2"}
parser:flag("-v --verbose"):count("0-2"):target("verbosity")
local args = parser:parse {"foo", "-I", "src", "-Ilib", "--level=2", "-vv"}
print(args.input, args.output, table.concat(args.include, ","), args.level, args.verbosity)
print(parser:get_usage())
print(parser:get_help())
for _, line in ipairs {{}, {"a", "b"}, {"a", "--outptu", "x"}, {"a", "-o"}, {"a", "-vvv"}} do
  local ok, result = parser:pparse(line)
  print(ok, ok and result.input or result)
end
local git = argparse("git")
git:command_target("command")
git:require_command(true)
local add = git:command("add a", "Add files.")
add:argument("files"):args("+")
local commit = git:command("commit")
commit:option("-m --message"):count(1)
commit:mutex(commit:flag("--amend"), commit:flag("--fixup"))
local fine, added = git:pparse {"add", "x", "y"}
print(fine, added.command, added.files[1], added.files[2])
local ok, result = git:pparse {"commit", "-m", "text", "--amend"}
print(ok, result.command, result.message, result.amend, result.fixup)
print(git:pparse {"commit", "-m", "text", "--amend", "--fixup"})
print(git:pparse {"comit"})
print(git:pparse {})
print(add:get_help())
