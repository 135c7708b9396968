/** Lua 5.4 whose values live in a managed heap. */
module dev.gleaner.lua {
  requires transitive dev.gleaner.heap;
  requires java.management;
  requires transitive java.scripting;

  exports dev.gleaner.lua;
  exports dev.gleaner.lua.script;

  provides javax.script.ScriptEngineFactory with
      dev.gleaner.lua.script.LuaEngineFactory;
}
