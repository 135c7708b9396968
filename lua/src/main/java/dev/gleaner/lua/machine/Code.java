package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.lua.compiler.Prototype;
import org.jspecify.annotations.Nullable;

/** A compiled function that the machine can run. */
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

  /** The calls and loop turns until the function gets a body; negative if it has a body. */
  int heat;

  /** The body, or null. Another guest's thread may set this to null, so code reads it once. */
  @Nullable Body body;

  /** The registers that are live at each instruction, if {@link DeadRegisters} knows them. */
  @Nullable LiveRegisters live;

  /** Whether the function got a body since it was last cold. */
  boolean hadBody;

  /** The exits of the body in the midst of computing with what was no number of 32 bits. */
  int misguesses;

  /** Whether a body must compute in slots, as numbers in Java locals led to many such exits. */
  boolean computesInSlots;

  /** Whether a body inlines steps; else the body calls shared steps. */
  boolean inlines;

  /** The instructions that a body of shared steps does until a body inlines steps. */
  int work;

  /** The numbers of the codes of inner functions. */
  final int[] inner;

  /** Returns the code of a frame; throws if there is none. */
  static Code need(@Nullable Code code) {
    if (code == null) {
      throw new IllegalStateException("no Lua function");
    }
    return code;
  }

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
