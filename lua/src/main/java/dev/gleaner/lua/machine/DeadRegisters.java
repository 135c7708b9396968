package dev.gleaner.lua.machine;

import dev.gleaner.heap.DeadSlots;
import dev.gleaner.layout.Values;
import java.util.IdentityHashMap;

/**
 * Drops the dead registers of Lua functions when a collection begins, by {@link LiveRegisters}.
 *
 * <p>The machine's next instruction tells where the running function is: also a body notes the
 * instruction where the heap may allocate. The other functions have saved the place in their
 * frames, unless Java code called in their midst: those keep all.
 */
final class DeadRegisters implements DeadSlots {
  /** The longs of sets that stay from one collection to the next. */
  private static final int KEPT = 4096;

  /** The words of code from which on a function keeps all its registers. */
  private static final int MOST_WORDS = 1 << 14;

  private final State s;
  private final Protection protection;
  private final IdentityHashMap<Code, LiveRegisters> known = new IdentityHashMap<>(64);
  private long size;

  DeadRegisters(State state, Protection protection) {
    this.s = state;
    this.protection = protection;
  }

  @Override
  public void drop(Frame frame) {
    if (frame.isRunning() && size > KEPT) {
      known.clear();
      size = 0;
    }
    int number = frame.functionCode();
    Code code = number < 0 ? null : s.codes.compiled[number];
    if (code == null
        || code.code.length > MOST_WORDS
        || frame.slots() < code.frameSize
        || code.prototype.lines.length == 0
        || protection.isBase(frame.depth())) {
      return;
    }
    boolean running = frame.isRunning();
    int at;
    if (running) {
      if (s.codeOrNull() != code) {
        return;
      }
      at = s.pc - 1;
    } else {
      long saved = frame.get(code.pcSlot);
      if (!Values.isDouble(saved)) {
        return;
      }
      at = Return.pc(saved) - 1;
    }
    LiveRegisters liveness = known.get(code);
    if (liveness == null) {
      liveness = new LiveRegisters(code.prototype);
      known.put(code, liveness);
      size += LiveRegisters.size(code.prototype);
    }
    long[] live = liveness.live(at, !running);
    int last = code.frameSize - 1;
    for (int r = code.pcSlot + (code.varargs ? 2 : 1); r < last; r++) {
      if ((live[r >>> 6] & 1L << r) == 0 && Values.isReference(frame.get(r))) {
        frame.drop(r);
      }
    }
  }
}
