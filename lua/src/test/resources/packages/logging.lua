-- Levels, formats, values as text, an appender of its own, and the console.
local logging = require "logging"
local out = {}
local logger = logging.new(function(self, level, message)
  print(logging.prepareLogMsg("%level: %message (%date)", "DATE", level, message))
  return true
end)
logger:setLevel(logging.WARN)
logger:log(logging.INFO, "sending email")
logger:info "trying to contact server"
logger:warn "server did not respond yet"
logger:error("error %d of %s: 50%%", 7, "disk")
logger:fatal(function(a, b) return a .. "+" .. b end, 1, 2)
logger:warn {a = {1, 2}, b = "text \"quoted\"", c = true, [3] = 1.5}
logger:setLevel(logging.DEBUG)
logger:debug(12, 13)
print(select(2, pcall(logger.setLevel, logger, "LOUD")) ~= nil, pcall(logger.log, logger, "LOUD", "x"))
print(logging.tostring {1, 2, {x = 1, y = {z = "a\nb"}}}, logging.tostring(nil), logging.tostring "q")
print(logging.new(1))
local console = require "logging.console"
local made = type(console) == "function" and console or logging.console
local writer = made "%level|%message\n"
writer:info "to the console"
writer:warn("%s", "again")
for i = 1, 30 do logger[({"debug", "info", "warn", "error", "fatal"})[i % 5 + 1]](logger, "n%03d", i * i) end
