-- Floats in fields: bodies that attract each other.
local steps = tonumber(arg and arg[1]) or 300
local bodies = {}
for i = 1, 5 do
  bodies[i] = {
    x = i * 1.7 - 3, y = (i * i) % 5 - 2.1, z = i * 0.13,
    vx = 0.1 * i, vy = 0.3 - 0.05 * i, vz = 0.01 * (i % 3),
    mass = i == 1 and 39.5 or 0.03 / i,
  }
end
local function energy()
  local e = 0
  for i = 1, #bodies do
    local b = bodies[i]
    e = e + 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz)
    for j = i + 1, #bodies do
      local c = bodies[j]
      local dx, dy, dz = b.x - c.x, b.y - c.y, b.z - c.z
      e = e - b.mass * c.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return e
end
local function advance(dt)
  for i = 1, #bodies do
    local b = bodies[i]
    for j = i + 1, #bodies do
      local c = bodies[j]
      local dx, dy, dz = b.x - c.x, b.y - c.y, b.z - c.z
      local square = dx * dx + dy * dy + dz * dz
      local pull = dt / (square * math.sqrt(square))
      b.vx = b.vx - dx * c.mass * pull
      b.vy = b.vy - dy * c.mass * pull
      b.vz = b.vz - dz * c.mass * pull
      c.vx = c.vx + dx * b.mass * pull
      c.vy = c.vy + dy * b.mass * pull
      c.vz = c.vz + dz * b.mass * pull
    end
  end
  for i = 1, #bodies do
    local b = bodies[i]
    b.x, b.y, b.z = b.x + dt * b.vx, b.y + dt * b.vy, b.z + dt * b.vz
  end
end
print(string.format("%.9f", energy()))
for _ = 1, steps do advance(0.001) end
print(string.format("%.9f", energy()))
