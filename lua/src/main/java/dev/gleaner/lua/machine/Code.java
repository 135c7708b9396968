package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.lua.compiler.Prototype;

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

  /** The numbers of the codes of inner functions. */
  final int[] inner;

  Code(Prototype p, Unit unit, GlobalRef[] strings, int[] inner) {
    this.prototype = p;
    this.unit = unit;
    this.code = p.code;
    this.numbers = p.numbers;
    this.strings = strings;
    this.inner = inner;
    this.frameSize = p.frameSize;
    this.parameters = p.parameters;
    this.varargs = p.varargs;
    this.pcSlot = p.pcSlot;
  }
}
