package dev.gleaner.it;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;

/**
 * A random program whose way does not depend on when its elements die: no weak references, and
 * finalizers that touch nothing but their own element.
 */
final class RandomTrace {
  private static final int SLOTS = 8;

  private final Heap heap;
  private final Mutator t;
  private final Dice dice;
  private final List<GlobalRef> globals = new ArrayList<>();

  private RandomTrace(Heap heap, long seed) {
    this.heap = heap;
    this.t = heap.mutator();
    this.dice = new Dice(seed);
  }

  static void run(Heap heap, long seed, int operations) {
    RandomTrace program = new RandomTrace(heap, seed);
    program.t.enter(SLOTS);
    for (int i = 0; i < operations; i++) {
      program.step();
    }
  }

  private int slot() {
    return dice.below(SLOTS);
  }

  private void step() {
    int s = slot();
    boolean element = t.isReference(s);
    Kind kind = element ? t.kind(s) : Kind.NATIVE;
    switch (dice.below(22)) {
      case 0, 1, 2 -> t.newRecord(s, dice.below(6));
      case 3 -> t.newObject(s, dice.below(3));
      case 4, 5 -> t.newString(s, "text-" + dice.below(50) + (dice.chance(10) ? "é😀" : ""));
      case 6 -> t.newDynamicBuffer(s, dice.below(200));
      case 7 -> t.setInt(s, (int) dice.next());
      case 8 -> t.setDouble(s, dice.below(1000) / 7.0);
      case 9 -> t.copy(slot(), s);
      case 10, 11, 12 -> storeOrLoad(s, kind);
      case 13, 14 -> property(s, kind);
      case 15 -> global(s);
      case 16 -> frames();
      case 17 -> {
        if (kind == Kind.DYNAMIC_BUFFER) {
          t.resizeBuffer(s, dice.below(300));
        }
      }
      case 18 -> {
        if (kind == Kind.RECORD) {
          t.setFinalizer(s, "F", (thread, closing) -> finalizer(thread));
        }
      }
      case 19 -> {
        if (element) {
          int _ = t.identityHash(s);
        }
      }
      case 20 -> t.newNative(s, "native", (value, closing) -> {});
      default -> {
        if (dice.chance(5)) {
          heap.collect();
        }
      }
    }
  }

  private void finalizer(Mutator thread) {
    thread.newRecord(1, 2);
    thread.store(1, 0, 0);
    thread.newString(2, "in a finalizer");
    thread.store(1, 1, 2);
  }

  private void storeOrLoad(int s, Kind kind) {
    int n = kind == Kind.RECORD || kind == Kind.OBJECT ? t.slotCount(s) : 0;
    if (n > 0 && dice.chance(60)) {
      t.store(s, dice.below(n), slot());
    } else if (n > 0) {
      t.load(slot(), s, dice.below(n));
    }
  }

  private void property(int s, Kind kind) {
    int key = slot();
    if (kind != Kind.OBJECT || !t.isReference(key) || t.kind(key) != Kind.STRING) {
      return;
    }
    switch (dice.below(6)) {
      case 0, 1 -> t.putProperty(s, key, slot());
      case 2 -> t.getProperty(slot(), s, key);
      case 3 -> walk(s, key, slot());
      default -> {
        boolean _ = t.deleteProperty(s, key);
      }
    }
  }

  /** Two walks in each other, which put and delete. */
  private void walk(int object, int key, int value) {
    if (key == value || value == object) {
      return;
    }
    t.setUndefined(key);
    long cursor = 0;
    while (dice.chance(90) && t.nextPropertyAfter(object, key, key, value)) {
      if (dice.chance(30)) {
        boolean _ = t.deleteProperty(object, key);
      }
      cursor = t.nextProperty(object, Math.max(0, cursor), value, value);
      if (cursor > 0 && dice.chance(10)) {
        t.putProperty(object, key, value);
        heap.collect(CollectFlags.EMERGENCY);
      }
    }
  }

  private void global(int s) {
    if (globals.size() < 10) {
      globals.add(heap.newGlobal());
    }
    GlobalRef global = dice.pick(globals);
    if (dice.chance(50)) {
      t.setGlobal(global, s);
    } else {
      t.getGlobal(s, global);
    }
    if (dice.chance(10)) {
      globals.remove(global);
      global.close();
    }
  }

  private void frames() {
    if (t.frameDepth() > 1 && dice.chance(50)) {
      t.leave(slot(), slot());
    } else if (t.frameDepth() < 20) {
      t.enter(SLOTS, 0, dice.below(SLOTS));
    }
  }
}
