package dev.gleaner.lua.random;

import java.util.List;
import java.util.Random;

/**
 * Random statements that use the debug library: hooks of every kind, in coroutines too, and what
 * tells of functions, of variables and of the stack.
 *
 * <p>A hook shows a number of events, then removes itself, or fails. It does not see the functions
 * of the prelude. How often a count hook is called is shown in a coarse way: each machine counts
 * its own instructions. The stack is shown down to the main chunk: what is below is the host's.
 */
final class HookLua {
  private static final List<String> MASKS =
      List.of("l", "l", "c", "r", "cr", "cr", "lc", "lr", "lcr", "");

  /** How hooks look at a function, each a name in the table {@code views}. */
  private static final List<String> VIEWS =
      List.of("line", "name", "name", "name", "values", "variables", "stack", "fields");

  private static final String PRELUDE =
      """
      debug.sethook()
      local g0, g1, g2 -- no global names, of which a traceback would take any
      local own, events, counted = %d, 0, 0
      local function func(f) return type(f) == "function" and f or print end
      local function where(i)
        return tostring(i.name) .. "/" .. i.namewhat .. "/" .. i.what .. ":" .. i.currentline
          .. (i.istailcall and " tail" or "")
      end
      local function values(level, from, to, all)
        local list = {}
        for k = from, to do
          local name, v = debug.getlocal(level + 1, k)
          if not name then break end
          v = type(v) == "string" and #v > 40 and "long" or plain(v)
          if all then list[#list + 1] = v
          elseif name ~= "(temporary)" then list[#list + 1] = name .. "=" .. v end
        end
        return table.concat(list, " ")
      end
      local function stack(...)
        local text = debug.traceback(...)
        if text:find("skipping", 1, true) then return "deep" end
        local at, to = text:find("in main chunk", 1, true)
        return (text:sub(1, to):gsub("\\n%%s*", "; "))
      end
      local function fields(f, ...)
        local i = type(f) ~= "number" and debug.getinfo(f, ...) or debug.getinfo(f + 1, ...)
        if not i then return "none" end
        local lines = {}
        for line = 1, i.activelines and 9999 or 0 do
          if i.activelines[line] then lines[#lines + 1] = line end
        end
        return table.concat({i.source or "", i.short_src or "", i.what or "", tostring(i.currentline),
          tostring(i.linedefined), tostring(i.lastlinedefined), tostring(i.nparams),
          tostring(i.isvararg), tostring(i.name), tostring(i.namewhat), tostring(i.istailcall),
          type(i.func), i.what ~= "C" and tostring(i.nups) or "", table.concat(lines, ",")}, " ")
      end
      local views = {
        line = function(i) return i.currentline end,
        name = where,
        values = function()
          local i = debug.getinfo(3, "r")
          return i.ntransfer .. " "
            .. values(3, i.ftransfer, i.ftransfer + i.ntransfer - 1, true)
        end,
        variables = function(i, event) -- others at the end of a block before Lua 5.4.5
          return event ~= "line" and i.what ~= "C" and (values(3, 1, 9):gsub("=%%S*", ""))
        end,
        stack = function() return (stack("", 4)) end,
        fields = function() return (fields(3)) end,
      }
      local function fail() return true end
      local function watch(view, most, fails)
        return function(event, line)
          local i = debug.getinfo(2, "nSlt")
          if i.what == "Lua" and i.linedefined <= own then return end
          if event == "count" then counted = counted + 1 return end
          events = events + 1
          if events > most then
            debug.sethook()
            if fails and fail() then error("hooked") end
            return
          end
          print(event, line, (views[view](i, event)))
        end
      end
      local has = setmetatable({}, {__mode = "k"})
      local function hook(co, view, most, fails, ...)
        has[co or coroutine.running()] = true
        events, counted = 0, 0
        if co then debug.sethook(co, watch(view, most, fails), ...)
        else debug.sethook(watch(view, most, fails), ...) end
      end
      local function hooked(co)
        if not has[co or coroutine.running()] then return end
        local f, mask, count
        if co then f, mask, count = debug.gethook(co) else f, mask, count = debug.gethook() end
        print("hook", type(f), f and mask, f and count)
      end
      """;

  /**
   * A hook would see in which order a walk comes to the entries of a table. Where a hook fails in a
   * coroutine, lua5.4 holds what its registers held, also what nobody reads.
   */
  private static final String WITH_GARBAGE =
      """
      function fail() return select(2, coroutine.running()) end
      local walk = entries
      function entries(w)
        if not has[coroutine.running()] then return walk(w) end
        local f, mask, count = debug.gethook()
        debug.sethook()
        walk(w)
        if f then debug.sethook(f, mask, count) end
      end
      """;

  private HookLua() {}

  /**
   * {@return the functions that statements call}
   *
   * @param before the number of lines before
   * @param weak whether the lines before have those of {@link WeakLua}
   */
  static String prelude(int before, boolean weak) {
    String lines = PRELUDE + (weak ? WITH_GARBAGE : "");
    return lines.formatted(before + lines.lines().count());
  }

  /**
   * {@return a statement that sets a hook}
   *
   * @param coroutine the variable of the coroutine, or nil for the one that runs
   */
  static String set(Random random, String coroutine) {
    String mask = any(random, MASKS);
    // An instruction whose hook counted begins a line, so both are in no hook.
    boolean counts = mask.isEmpty() || (mask.indexOf('l') < 0 && random.nextInt(8) == 0);
    int count = counts ? 1 + random.nextInt(20) : 0;
    return "hook(%s, '%s', %d, %s, '%s', %d)"
        .formatted(
            coroutine,
            any(random, VIEWS),
            5 + random.nextInt(40),
            random.nextInt(10) == 0,
            mask,
            count);
  }

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
