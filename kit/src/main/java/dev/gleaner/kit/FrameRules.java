package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What frames must not lose: programs of which scenarios cannot be made, as those pass no arguments
 * and raise nothing. They are so long that a collector which works by the way has work to do.
 */
record FrameRules(Config config, List<ClassLoader> loaders) {
  List<Rule> all() {
    return List.of(
        rule("keep what a call stores into its arguments", FrameRules::storesIntoArguments),
        rule("keep what a call stores while they are large", FrameRules::storesIntoLargeFrames),
        rule("keep what they build while it grows", FrameRules::builds),
        rule("keep what coroutines make beside them", FrameRules::resumes),
        rule("keep what is raised over several of them", FrameRules::raises),
        rule("keep what changes places between elements", FrameRules::changesPlaces),
        rule("make undefined slots where those of a frame were", FrameRules::makesUndefined),
        rule("make undefined slots where those of calls were", FrameRules::makesUndefinedOverCalls),
        rule("leave no memory behind", FrameRules::leavesNothing));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap("frames", text, config, loaders, check);
  }

  private static @Nullable String storesIntoArguments(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(3);
    t.newRecord(0, 1);
    for (int i = 0; i < 5000; i++) {
      t.enter(2, 0, 1);
      t.newRecord(1, 1);
      t.storeInt(1, 0, i);
      t.store(0, 0, 1);
      t.leave();
      overwrite(t);
      t.load(1, 0, 0);
      if (t.loadInt(1, 0) != i) {
        return "expected " + i + ", found " + t.loadInt(1, 0);
      }
    }
    return null;
  }

  /** The caller has made a lot, and the call goes on to make more. */
  private static @Nullable String storesIntoLargeFrames(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < 100; i++) {
      t.newRecord(0, 1);
      for (int record = 0; record < 400; record++) {
        t.newRecord(1, 1);
      }
      t.enter(2, 0, 1);
      t.newRecord(1, 1);
      t.storeInt(1, 0, i);
      t.store(0, 0, 1);
      for (int buffer = 0; buffer < 4000; buffer++) {
        t.newBuffer(1, 8);
      }
      t.load(1, 0, 0);
      if (!t.isReference(1) || t.loadInt(1, 0) != i) {
        return "expected a record with " + i;
      }
      t.leave();
    }
    return null;
  }

  /** Frames one above the other make a list longer, of which each holds what was there then. */
  private static @Nullable String builds(Heap heap) {
    int frames = 4;
    int length = 4000;
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < frames * length; i++) {
      if (i % length == 0) {
        t.enter(2, 0, 1);
      }
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      t.storeInt(1, 1, i);
      t.copy(0, 1);
    }
    for (int frame = frames; frame > 0; frame--) {
      t.copy(1, 0);
      for (int i = frame * length - 1; i >= 0; i--) {
        if (t.loadInt(1, 1) != i) {
          return "expected " + i + ", found " + t.loadInt(1, 1);
        }
        t.load(1, 1, 0);
      }
      t.leave();
      overwrite(t);
    }
    return null;
  }

  /**
   * A coroutine that keeps a record in a slot, beside a frame whose records all go into an element
   * that stays, and whose calls make garbage.
   */
  private static @Nullable String resumes(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(3);
    t.newObject(0, 8);
    t.newThread(1);
    t.resume(1, 1); // this frame of the coroutine stays
    goBack(t);
    for (int i = 0; i < 1000; i++) {
      for (int record = 0; record < 16; record++) {
        t.newRecord(2, 1);
        t.storeInt(2, 0, record);
        t.store(0, record % 8, 2);
      }
      goOn(t, 1);
      t.newRecord(0, 1);
      t.storeInt(0, 0, i);
      goBack(t);
      for (int call = 0; call < 40; call++) {
        overwrite(t);
        t.enter(1);
        t.newObject(0, StorePlace.LARGE);
        t.leave();
      }
      goOn(t, 1);
      if (t.loadInt(0, 0) != i) {
        return "expected " + i + ", found " + t.loadInt(0, 0);
      }
      goBack(t);
    }
    return null;
  }

  /** Goes on in the coroutine's frame, not in one above it. */
  private static void goOn(Mutator t, int coroutine) {
    t.resume(coroutine, 0);
    t.leave();
  }

  /** Suspends the coroutine, whose frame stays. */
  private static void goBack(Mutator t) {
    t.enter(0);
    t.suspend();
  }

  private static @Nullable String raises(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 5000; i++) {
      t.pushCatcher(0, 7);
      t.enter(1);
      t.enter(1);
      t.newRecord(0, 1);
      t.storeInt(0, 0, i);
      t.raise(0);
      overwrite(t);
      if (t.loadInt(0, 0) != i) {
        return "expected " + i + ", found " + t.loadInt(0, 0);
      }
    }
    return null;
  }

  /** Frames that make few records or many, small ones or larger ones, and are left. */
  private static @Nullable String makesUndefined(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 0; i < 4000; i++) {
      t.enter(2);
      for (int record = 0; record < 1 + i % 7; record++) {
        String wrong = makesUndefined(t, i % 5);
        if (wrong != null) {
          return wrong;
        }
      }
      t.leave();
    }
    return null;
  }

  private static @Nullable String makesUndefinedOverCalls(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 0; i < 4000; i++) {
      for (int call = 0; call < 3; call++) {
        t.enter(2);
        t.newRecord(0, (i >> (2 * call)) % 4);
      }
      t.leave();
      t.leave();
      t.leave();
      t.enter(2);
      String wrong = makesUndefined(t, i % 20);
      if (wrong != null) {
        return wrong;
      }
      t.leave();
    }
    return null;
  }

  /** Makes a record, and fills its slots if they were undefined. */
  private static @Nullable String makesUndefined(Mutator t, int slots) {
    t.newRecord(0, slots);
    for (int slot = 0; slot < slots; slot++) {
      t.load(1, 0, slot);
      if (!t.isUndefined(1)) {
        return "expected undefined in slot " + slot + " of a new record, found " + t.type(1);
      }
      t.storeInt(0, slot, slot);
    }
    return null;
  }

  /** Calls that make a record, and others that make enough for a collector to look at. */
  private static @Nullable String leavesNothing(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(1);
    heap.collect();
    long used = heap.statistics().usedBytes();
    for (int i = 0; i < 20; i++) {
      t.enter(1);
      t.newRecord(0, 1);
      t.leave();
      t.enter(1);
      for (int buffer = 0; buffer < 2000; buffer++) {
        t.newBuffer(0, 8);
      }
      t.leave();
    }
    heap.collect();
    long left = heap.statistics().usedBytes();
    return left == used ? null : used + " bytes in use before, " + left + " afterwards";
  }

  /** Makes records where those of the frame that was left last may have been. */
  private static void overwrite(Mutator t) {
    t.enter(1);
    for (int i = 0; i < 4; i++) {
      t.newRecord(0, 1);
      t.storeInt(0, 0, -1);
    }
    t.leave();
  }

  /** What two elements hold changes places; in between one of them is in a slot alone. */
  private static @Nullable String changesPlaces(Heap heap) {
    int n = 3000;
    Mutator t = heap.mutator();
    t.enter(6);
    t.newObject(0, n);
    for (int i = 0; i < n; i++) {
      t.newObject(1, StorePlace.LARGE);
      t.newObject(2, StorePlace.LARGE);
      t.storeInt(2, 0, i);
      t.store(1, 0, 2);
      t.store(0, i, 1);
    }
    for (int i = 0; i < 40 * n; i++) {
      t.load(1, 0, (int) (i * 7L % n));
      t.load(2, 0, (int) (i * 13L % n));
      t.load(3, 1, 0);
      t.load(4, 2, 0);
      t.storeNull(1, 0);
      t.enter(1);
      t.newObject(0, StorePlace.LARGE);
      t.leave(0, 5);
      t.store(2, 0, 3);
      t.store(1, 0, 4);
      t.compact(0);
    }
    boolean[] found = new boolean[n];
    for (int i = 0; i < n; i++) {
      t.load(1, 0, i);
      t.load(1, 1, 0);
      int number = t.loadInt(1, 0);
      if (number < 0 || number >= n || found[number]) {
        return "expected each of " + n + " elements once, found " + number;
      }
      found[number] = true;
    }
    return null;
  }
}
