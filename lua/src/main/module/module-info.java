/** Lua 5.4 whose values live in a managed heap. */
module dev.gleaner.lua {
  requires transitive dev.gleaner.api;

  exports dev.gleaner.lua;
}
