local w = setmetatable({}, {__mode = "k"})
local function entry() local k = {}; w[k] = {k}; local a, b = {}, {}; w[a] = b; w[b] = a end
entry()
collectgarbage() collectgarbage()
print(next(w))
