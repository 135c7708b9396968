package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.spi.Capability;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What steps on several slots must not lose: results, tail calls, ranges, transfers of threads. */
record FrameStepRules(Config config, List<ClassLoader> loaders) {
  List<Rule> all() {
    return List.of(
        rule("keep several results of a call", FrameStepRules::returns),
        rule("drop results that are not wanted", FrameStepRules::returnsTooMany),
        rule("move the arguments of a call", FrameStepRules::enters),
        rule("move the arguments of a tail call", FrameStepRules::tailCalls),
        rule("keep what is moved between ranges of slots", FrameStepRules::moves),
        rule("keep ranges that a call stores", FrameStepRules::storesRanges),
        rule("keep ranges that change places", FrameStepRules::changesPlaces),
        rule("hand values over to coroutines and back", FrameStepRules::transfers),
        rule("pass what was pushed to the frame that runs", FrameStepRules::starts),
        rule("keep what they gave a coroutine when they are left", FrameStepRules::gives),
        rule("leave nothing of a coroutine that finished", FrameStepRules::finishes));
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap("frames", text, config, loaders, check);
  }

  /** Makes a record that holds another one with a number. */
  private static void make(Mutator t, int d, int number) {
    t.enter(2);
    t.newRecord(0, 1);
    t.newRecord(1, 1);
    t.storeInt(1, 0, number);
    t.store(0, 0, 1);
    t.leave(0, d);
  }

  private static @Nullable String expect(Mutator t, int s, int number) {
    t.enter(1, s, 1);
    String found = t.isReference(0) ? "" : "nothing";
    if (found.isEmpty()) {
      t.load(0, 0, 0);
      found = t.isReference(0) ? String.valueOf(t.loadInt(0, 0)) : "nothing in it";
    }
    t.leave();
    return found.equals(String.valueOf(number))
        ? null
        : "expected " + number + " in slot " + s + ", found " + found;
  }

  private static @Nullable String expectAll(Mutator t, int first, int count, int number) {
    for (int i = 0; i < count; i++) {
      String wrong = expect(t, first + i, number + i);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  /** Makes records where those of the frame that was left last may have been. */
  private static void overwrite(Mutator t) {
    t.enter(2);
    for (int i = 0; i < 6; i++) {
      t.newRecord(0, 1);
      t.storeInt(0, 0, -1);
      t.newObject(1, StorePlace.LARGE);
    }
    t.leave();
  }

  /** Arguments move up frame by frame, more of them each time, while stack and heap change. */
  private static @Nullable String enters(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(60);
    for (int i = 0; i < 60; i++) {
      make(t, i, i);
    }
    for (int depth = 1; depth < 50; depth++) {
      int left = 60 - depth;
      t.enterMoving(60, 1, left); // the first one stays behind
      overwrite(t);
      if (depth % 10 == 0) {
        heap.collect();
      }
      String wrong = expectAll(t, 0, left, depth);
      if (wrong != null) {
        return wrong;
      }
      if (!t.isUndefined(left)) {
        return "expected an undefined slot behind the arguments";
      }
    }
    for (int depth = 48; depth >= 0; depth--) {
      t.leave();
      String wrong = expect(t, 0, depth);
      for (int i = 1; i < 60 - depth; i++) {
        wrong = t.isUndefined(i) ? wrong : "expected slot " + i + " to be undefined";
      }
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static @Nullable String returns(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(4);
    for (int i = 0; i < 2000; i++) {
      t.enter(3);
      t.enter(5);
      t.newRecord(0, 3);
      for (int r = 1; r < 4; r++) {
        make(t, r, i + r);
      }
      int _ = t.leave(1, 3, 0, 3);
      overwrite(t);
      int _ = t.leave(0, 3, 1, 3);
      overwrite(t);
      if (i % 100 == 0) {
        heap.collect();
      }
      String wrong = expectAll(t, 1, 3, i + 1);
      if (wrong != null) {
        return wrong;
      }
      t.enter(2);
      make(t, 1, i);
      int landed = t.leave(1, 1, 4, Mutator.ALL);
      wrong = landed == 1 && t.frameSize() == 5 ? expect(t, 4, i) : "the frame did not grow";
      if (wrong != null) {
        return wrong;
      }
      t.resizeFrame(4);
    }
    return null;
  }

  private static @Nullable String returnsTooMany(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(3);
    heap.collect();
    long used = heap.statistics().usedBytes();
    for (int i = 0; i < 200; i++) {
      t.enter(4);
      for (int r = 0; r < 4; r++) {
        t.newBuffer(r, 100);
      }
      int _ = t.leave(0, 4, 0, 2);
      t.setInt(2, i);
      t.enter(1);
      t.newBuffer(0, 100);
      int _ = t.leave(0, 1, 1, 2);
      if (!t.isUndefined(2) || !t.isReference(1)) {
        return "expected a result and an undefined one, found " + t.type(1) + ", " + t.type(2);
      }
    }
    t.compact();
    heap.collect();
    long left = heap.statistics().usedBytes();
    return left == used ? null : used + " bytes in use before, " + left + " afterwards";
  }

  private static @Nullable String tailCalls(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    make(t, 0, 7);
    t.enter(6, 0, 1);
    for (int i = 0; i < 4000; i++) {
      for (int r = 1; r < 5; r++) {
        make(t, r, i + r);
      }
      t.pushCatcher(1, 6); // goes with the call
      t.tailCall(6 + i % 30, 2, 3);
      overwrite(t);
      String wrong = expectAll(t, 0, 3, i + 2);
      if (wrong != null || !t.isUndefined(3)) {
        return wrong == null ? "expected undefined behind the arguments" : wrong;
      }
    }
    int pc = t.raise(0);
    if (pc >= 0) {
      return "expected no catcher after a tail call, found the one of " + pc;
    }
    t.leave();
    return expect(t, 0, 7);
  }

  private static @Nullable String moves(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(60);
    for (int i = 0; i < 40; i++) {
      make(t, i, i);
    }
    for (int i = 0; i < 300; i++) {
      t.move(1 + i % 19, 0, 25);
      overwrite(t);
      t.move(0, 1 + i % 19, 25);
      overwrite(t);
    }
    return expectAll(t, 0, 25, 0);
  }

  private static @Nullable String storesRanges(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(5);
    t.newRecord(0, 3);
    for (int i = 0; i < 2000; i++) {
      t.newObject(1, 4);
      t.enter(6, 0, 2);
      for (int r = 2; r < 5; r++) {
        make(t, r, i + r);
      }
      t.storeRange(i % 2, 0, 2, 3);
      t.leave();
      overwrite(t);
      if (i % 100 == 0) {
        heap.collect();
      }
      t.loadRange(2, i % 2, 0, 3);
      String wrong = expectAll(t, 2, 3, i + 2);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  /** What holders have changes places while a cycle works; in between it is in slots alone. */
  private static @Nullable String changesPlaces(Heap heap) {
    int holders = 300;
    int range = 3;
    boolean incremental = heap.traits().has(Capability.INCREMENTAL);
    Mutator t = heap.mutator();
    t.enter(3 + 3 * range);
    t.newObject(0, holders);
    for (int i = 0; i < holders; i++) {
      t.newRecord(1, range);
      for (int k = 0; k < range; k++) {
        make(t, 3 + k, i * range + k);
      }
      t.storeRange(1, 0, 3, range);
      t.store(0, i, 1);
    }
    t.wipe(1);
    for (int i = 0; i < 20 * holders; i++) {
      t.load(1, 0, (int) (i * 7L % holders));
      t.load(2, 0, (int) (i * 13L % holders));
      t.loadRange(3, 1, 0, range);
      t.loadRange(3 + range, 2, 0, range);
      t.storeRange(1, 0, 3 + 2 * range, range); // undefined
      t.storeRange(2, 0, 3, range);
      t.storeRange(1, 0, 3 + range, range);
      t.compact(0);
      if (incremental) {
        boolean _ = heap.step(1);
      }
    }
    boolean[] found = new boolean[holders * range];
    for (int i = 0; i < holders; i++) {
      t.load(1, 0, i);
      t.loadRange(3, 1, 0, range);
      for (int k = 0; k < range; k++) {
        t.load(2, 3 + k, 0);
        int number = t.isReference(2) ? t.loadInt(2, 0) : -1;
        if (number < 0 || number >= found.length || found[number]) {
          return "expected each of " + found.length + " elements once, found " + number;
        }
        found[number] = true;
      }
    }
    return null;
  }

  private static @Nullable String transfers(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(6);
    t.newThread(0);
    t.resume(0, 4);
    int _ = t.suspend(0, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
      make(t, 1, i);
      make(t, 2, i + 1);
      int _ = t.resumeInto(0, 1, 2, 1, 2);
      overwrite(t);
      String wrong = expectAll(t, 1, 2, i);
      make(t, 3, i + 2);
      int _ = t.suspend(1, 3, 3, 3);
      t.setUndefined(1);
      t.setUndefined(2);
      overwrite(t);
      if (i % 100 == 0) {
        heap.collect();
      }
      wrong = wrong == null ? expectAll(t, 3, 3, i) : wrong;
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static @Nullable String starts(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(4);
    for (int i = 0; i < 500; i++) {
      t.newThread(0);
      make(t, 1, i);
      t.push(0, 1);
      make(t, 1, i + 1);
      t.push(0, 1);
      make(t, 1, i + 2);
      make(t, 2, i + 3);
      t.resume(0, 5, 1, 2);
      overwrite(t);
      String wrong = expectAll(t, 0, 4, i);
      if (wrong != null || !t.isUndefined(4)) {
        return wrong == null ? "expected undefined behind the arguments" : wrong;
      }
      int _ = t.finish(2, 2, 1, 2);
      overwrite(t);
      wrong = expectAll(t, 1, 2, i + 2);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  /** The coroutine has its arguments alone, and the call that gave them is over. */
  private static @Nullable String gives(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 20; i++) {
      t.newThread(0);
      t.enter(3, 0, 1);
      make(t, 1, i);
      t.newObject(2, StorePlace.LARGE);
      t.storeInt(2, 0, i);
      t.resume(0, 2, 1, 2);
      int _ = t.suspend(0, 0, 0, 0);
      t.leave();
      for (int call = 0; call < 1000; call++) {
        overwrite(t);
      }
      int _ = t.resumeInto(0, 0, 0, 0, 0);
      String wrong = expect(t, 0, i);
      if (wrong == null && (!t.isReference(1) || t.loadInt(1, 0) != i)) {
        wrong = "expected an object with " + i + ", found another";
      }
      int _ = t.finish(0, 0, 0, 0);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static @Nullable String finishes(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.newThread(0);
    t.newFunction(1, 1, 0);
    heap.collect();
    long used = heap.statistics().usedBytes();
    for (int i = 0; i < 100; i++) {
      t.resume(0, 3, 1, 1);
      t.call(2, 0);
      t.newRecord(0, 3);
      t.pushCatcher(0, 1);
      t.enter(2, 0, 1);
      t.newFunction(0, 2, 2);
      t.call(2, 0);
      int _ = t.finish(0, 0, 0, 0);
    }
    heap.collect();
    heap.collect();
    long left = heap.statistics().usedBytes();
    return left <= used + 128 ? null : used + " bytes in use before, " + left + " afterwards";
  }
}
