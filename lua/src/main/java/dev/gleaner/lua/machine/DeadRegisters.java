package dev.gleaner.lua.machine;

import dev.gleaner.heap.DeadSlots;
import dev.gleaner.layout.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Drops the dead registers of Lua functions when a collection begins, by {@link LiveRegisters}.
 *
 * <p>The machine's next instruction tells where the running function is: also a body notes the
 * instruction where the heap may allocate. The other functions have saved the place in their
 * frames, unless Java code called in their midst: those keep all. A function keeps all registers,
 * too, if there is no room for what is known of it. A library function that waits for a call has
 * passed its values on.
 */
final class DeadRegisters implements DeadSlots {
  /** The bytes of the heap's limit for each long of sets: the sets take a 64th of the limit. */
  private static final int SHARE = 64 * Long.BYTES;

  /** The longs of sets, a MiB, for which any guest has room at most. */
  private static final long MOST = 1 << 17;

  private final State s;
  private final Protection protection;

  /** The functions whose live registers are known. */
  private final List<Code> known = new ArrayList<>();

  private final long room;
  private long size;

  /** The coroutine of the next frame. Frames come from the top down, with those of resumers. */
  private @Nullable Coroutine coroutine;

  DeadRegisters(State state, Protection protection) {
    this.s = state;
    this.protection = protection;
    this.room = Math.min(MOST, state.heap.snapshot().maxBytes() / SHARE);
  }

  @Override
  public void drop(Frame frame) {
    boolean running = frame.isRunning();
    if (running) {
      coroutine = protection.current();
    }
    Coroutine in = coroutine;
    if (in != null && frame.depth() == Protection.BOTTOM) {
      coroutine = in.resumer;
    }
    int number = frame.functionCode();
    Code code = number < 0 ? null : s.codes.compiled[number];
    if ((running && code != s.codeOrNull()) || protection.isBase(in, frame.depth())) {
      return;
    }
    if (code == null) {
      if (!running) {
        dropPassed(frame, protection.firstPassed(in, frame));
      }
      return;
    }
    if (frame.slots() < code.frameSize || code.prototype.lines.length == 0) {
      return;
    }
    int at;
    if (running) {
      at = s.pc - 1;
    } else {
      long saved = frame.get(code.pcSlot);
      if (!Values.isDouble(saved)) {
        return;
      }
      at = Return.pc(saved) - 1;
    }
    LiveRegisters liveness = code.live != null ? code.live : find(code, running);
    if (liveness == null) {
      return;
    }
    long[] live = liveness.live(at, !running);
    int last = code.frameSize - 1; // of use within an instruction, until it calls
    for (int r = code.pcSlot + (code.varargs ? 2 : 1); r <= last; r++) {
      boolean dead = r == last ? !running : (live[r >>> 6] & 1L << r) == 0;
      if (dead && Values.isReference(frame.get(r))) {
        frame.drop(r);
      }
    }
  }

  private static void dropPassed(Frame frame, int first) {
    for (int i = first; i < frame.slots(); i++) {
      if (Values.isReference(frame.get(i))) {
        frame.drop(i);
      }
    }
  }

  /**
   * Finds the sets of a function; returns null if there is no room for them. The running function
   * takes the room of all others, so that what a program does now is known, and not what it did
   * before.
   */
  private @Nullable LiveRegisters find(Code code, boolean running) {
    long more = LiveRegisters.size(code.prototype);
    if (running && size + more > room) {
      known.forEach(c -> c.live = null);
      known.clear();
      size = 0;
    }
    if (size + more > room) {
      return null;
    }
    LiveRegisters live = new LiveRegisters(code.prototype);
    code.live = live;
    known.add(code);
    size += more;
    return live;
  }
}
