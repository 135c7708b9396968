package dev.gleaner.lua.machine;

/** The parts of a machine that call no function. Those that do know this class. */
final class Parts {
  final State state;
  final Builtins builtins;
  final Strings strings;
  final Metatables meta;
  final Levels levels;
  final Messages messages;
  final Operators operators;
  final Tables tables;
  final Access access;
  final Arguments arguments;

  Parts(State state) {
    this.state = state;
    this.builtins = new Builtins(state.codes);
    this.strings = new Strings(state);
    this.meta = new Metatables(state);
    this.levels = new Levels(state);
    this.messages = new Messages(state, strings, meta, levels);
    this.operators = new Operators(state, meta, messages);
    this.tables = new Tables(state, messages);
    this.access = new Access(state, meta, tables, messages);
    this.arguments = new Arguments(state, strings, operators, messages);
  }
}
