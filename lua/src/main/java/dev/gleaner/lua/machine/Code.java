package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.lua.compiler.Prototype;
import org.jspecify.annotations.Nullable;

/** A compiled function as the machine runs it. */
final class Code {
  final Prototype prototype;
  final Unit unit;
  final int[] code;
  final long[] numbers;
  final GlobalRef[] strings;
  final int frameSize;
  final int parameters;
  final boolean varargs;
  final int pcSlot;

  /** Calls and turns of cycles until it is compiled; negative if it is. */
  int heat;

  /** If it is compiled. The thread of another guest may take it away, so it is read once. */
  @Nullable Body body;

  /** If it was compiled since it was cold. */
  boolean hadBody;

  /** The numbers of the codes of inner functions. */
  final int[] inner;

  Code(Prototype p, Unit unit, GlobalRef[] strings, int[] inner, int heat) {
    this.prototype = p;
    this.unit = unit;
    this.code = p.code;
    this.numbers = p.numbers;
    this.strings = strings;
    this.inner = inner;
    this.heat = heat;
    this.frameSize = p.frameSize;
    this.parameters = p.parameters;
    this.varargs = p.varargs;
    this.pcSlot = p.pcSlot;
  }
}
