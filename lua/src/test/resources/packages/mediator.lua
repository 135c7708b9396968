-- Channels with subscribers: order, priorities, predicates, and the end of an event.
local mediator = require "mediator"()
local function listener(name, more)
  return function(...)
    print(name, ...)
    return more and "result of " .. name, not more and true or nil
  end
end
local first = mediator:subscribe({"car", "engine", "start"}, listener("first", true))
mediator:subscribe({"car", "engine", "start"}, listener "second", {priority = 1})
mediator:subscribe({"car", "engine"}, listener("engine", true), {predicate = function(v) return v ~= "quiet" end})
mediator:subscribe({"car"}, listener("car", true))
local function results(...)
  local all = mediator:publish(...)
  for i = 1, #all do io.write("  ", tostring(all[i])) end
  print("", #all)
end
results({"car", "engine", "start"}, "loud", 1)
results({"car", "engine", "start"}, "quiet")
results({"car", "engine"}, "x", nil, 3)
results({"unknown"}, 1)
first:update {fn = listener("new first", true), options = {priority = 1}}
results({"car", "engine", "start"}, "again")
local channel = mediator:getChannel {"car", "engine", "start"}
print(channel.namespace, #channel.callbacks, channel:hasChannel "x", channel:getSubscriber(first.id).value == first)
channel:setPriority(first.id, 1)
results({"car", "engine", "start"}, "priority")
print(mediator:removeSubscriber(first.id, {"car", "engine", "start"}) ~= nil, #channel.callbacks)
results({"car", "engine", "start"}, "removed")
