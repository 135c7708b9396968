-- Text to HTML. The package is for Lua 5.1: functions have no environments to be set any more.
unpack = table.unpack
local file <close> = assert(io.open(package.searchpath("markdown", package.path)))
local source = file:read("a"):gsub("setfenv%(1, M%)", "local _ENV = M"):gsub("setfenv%(1, _G%)", "local _ENV = _G")
assert(load(source, "@markdown.lua"))()
print(markdown [[
A title
=======

A *paragraph* with **strong** text, `code & <tags>`, a [link](http://example.org/ "Title"),
an ![image](a.png), and a [reference][ref].

## Lists

* one
* two
    * nested
* three

1. first
2. second

> A quote
> of two lines

    a block of code
    with < and &

- - -

<div>HTML stays</div>

A link: <http://example.org>, \*no emphasis\*, 1986\. A line  
broken.

[ref]: http://example.org/ref "Reference"
]])
