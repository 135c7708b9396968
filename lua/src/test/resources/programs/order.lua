keep = setmetatable({}, {__gc = function() print("first set, last called") end})
keep2 = setmetatable({}, {__gc = function() print("last set, first called") end})
