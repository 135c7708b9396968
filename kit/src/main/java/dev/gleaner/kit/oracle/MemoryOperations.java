package dev.gleaner.kit.oracle;

import dev.gleaner.heap.LeakReport;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collections, refused requests, plain blocks, external memory. */
final class MemoryOperations {
  private static final List<Integer> FLAGS =
      List.of(
          0,
          0,
          CollectFlags.EMERGENCY,
          CollectFlags.NO_FINALIZERS,
          CollectFlags.NO_OBJECT_COMPACTION | CollectFlags.EMERGENCY,
          CollectFlags.NO_STRING_TABLE_RESIZE);

  /** A plain block whose bytes all have one value. */
  private static final class Block {
    final String name;
    long place;
    int bytes;
    byte fill;
    int inUse;

    Block(int number) {
      name = "b" + number;
    }
  }

  /** Something that is in force for one operation, whose statement stands in a block then. */
  private record Wrapper(String header, boolean refusing, Runnable begin, Runnable end) {}

  private final Twin twin;
  private final int thorough;
  private final List<Block> blocks = new ArrayList<>();
  private int made;
  private @Nullable Wrapper next;
  private boolean wrapping;

  /** Whether requests may be refused now, though there is memory. */
  boolean refusing;

  /** How often they began to be refused. */
  int refusals;

  /**
   * @param thorough in how many of a hundred cases what looks at the whole heap is done
   */
  MemoryOperations(Twin twin, int thorough) {
    this.twin = twin;
    this.thorough = thorough;
  }

  List<Operation> all() {
    return List.of(
        new Operation("collect", 3, this::collect).alone(),
        new Operation("collect minor", twin.has(Capability.MINOR) ? 3 : 0, _ -> twin.collectMinor())
            .alone(),
        new Operation("verify", 4, this::verify).amongCalls(15),
        new Operation("inspect", 2, this::inspect).amongCalls(1),
        new Operation("step", twin.has(Capability.INCREMENTAL) && !twin.exact ? 8 : 0, this::step),
        new Operation("base flags", 1, this::baseFlags),
        new Operation("fail allocations", 4, this::fail),
        new Operation("reserve external", 3, this::reserve).unsayable(),
        new Operation("release external", 3, this::release).unsayable(),
        new Operation("alloc", 4, this::alloc).alone(),
        new Operation("realloc", 4, this::realloc),
        new Operation("free", 3, this::free));
  }

  private void collect(Dice dice) {
    twin.collect(dice.pick(FLAGS));
  }

  /** Verifies between collections, too, when what they began may be under way. */
  private void verify(Dice dice) {
    if (!dice.chance(thorough)) {
      return;
    }
    twin.say("expect intact");
    twin.collector.verify("before a check");
  }

  /** Has the heap say what it holds, which is to change nothing. */
  private void inspect(Dice dice) {
    if (!dice.chance(thorough)) {
      return;
    }
    int way = dice.below(3);
    int slot = twin.find(dice, value -> value instanceof ShadowElement e && e.kind != Kind.INTEGER);
    twin.script.note("inspect the heap, way " + way);
    switch (way) {
      case 0 -> checkLeaks();
      case 1 -> writeSnapshot();
      default -> {
        if (slot >= 0) {
          checkPath(slot);
        }
      }
    }
    twin.collector.verify("after the heap was inspected");
  }

  /** There is a path if the element is in reach without the slot. */
  private void checkPath(int slot) {
    List<String> path = twin.heap.inspect().pathToRoot(slot);
    ShadowElement element = twin.element(slot);
    twin.set(slot, Special.UNDEFINED);
    boolean must = twin.shadow.reachable(true).contains(element);
    boolean may = must || (!twin.exact && twin.shadow.mayBeReached().contains(element));
    twin.set(slot, element);
    if (path.isEmpty() ? must : !may) {
      throw new AssertionError("the path to " + element + " in slot " + slot + ": " + path);
    }
  }

  private void checkLeaks() {
    LeakReport leaks = twin.heap.inspect().findLeaks();
    if (twin.prompt && !twin.has(Capability.CYCLES) && !twin.shadow.finalizers.isRunning()) {
      Set<ShadowElement> most = twin.shadow.counted(false);
      most.removeAll(twin.shadow.reachable(true));
      Set<ShadowElement> least = twin.shadow.counted(true); // without what weak tables may hold
      least.removeAll(twin.shadow.mayBeReached()); // from the finalize list, which is a root
      least.retainAll(most);
      if (leaks.elements() > most.size() || leaks.elements() < least.size()) {
        throw new AssertionError("expected " + least + " to " + most + ", but " + leaks);
      }
    }
  }

  private void writeSnapshot() {
    try {
      twin.heap.inspect().writeSnapshot(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void step(Dice dice) {
    int n = dice.between(1, 4);
    twin.say("step " + n);
    boolean complete = twin.heap.step(n);
    twin.script.note("  " + (complete ? "complete" : "not complete"));
  }

  private void baseFlags(Dice dice) {
    int flags = dice.chance(60) ? 0 : dice.pick(FLAGS);
    if (!twin.sayable) {
      twin.cannotSay("base flags" + Twin.flagNames(flags));
      int _ = twin.heap.setBaseFlags(flags);
    } else if (flags != 0 && !wrapping) {
      int before = twin.heap.baseFlags();
      next =
          new Wrapper(
              "base-flags" + Twin.flagNames(flags),
              false,
              () -> {
                int _ = twin.heap.setBaseFlags(before | flags);
              },
              () -> {
                int _ = twin.heap.setBaseFlags(before);
              });
    }
  }

  /** Refuses some requests soon, most often few enough for a retry to succeed. */
  private void fail(Dice dice) {
    int after = dice.below(6);
    boolean few = dice.chance(70);
    int times = few ? dice.between(1, 5) : dice.between(6, 40);
    if (!twin.sayable) {
      twin.cannotSay("refuse requests after " + after + " for " + times);
      refuse(after, times);
    } else if (!wrapping) {
      failNext(twin.timed ? after / 2 : 0, few ? 1 + times % 2 : Long.MAX_VALUE);
    }
  }

  /**
   * Refuses requests of the next operation. So few, or so many, that the outcome does not depend on
   * the requests that tables make when a collection resizes them.
   */
  private void failNext(int after, long times) {
    next =
        new Wrapper(
            "fail-allocations after " + after + (times == Long.MAX_VALUE ? "" : " for " + times),
            true,
            () -> refuse(after, times),
            this::refuseNoMore);
  }

  private void refuse(int after, long times) {
    twin.heap.faults().failAllocations(after, times);
    refusing = true;
    refusals++;
  }

  void refuseNoMore() {
    twin.heap.faults().clearFailAllocations();
    refusing = false;
  }

  /** Does an operation, inside of what the one before asked for. */
  void wrap(Operation operation, Dice dice) {
    Wrapper wrapper = next;
    next = null;
    if (wrapper == null || !operation.single() || wrapping) {
      operation.action().run(dice);
      return;
    }
    wrapping = true;
    Script.Block block = twin.script.open(Script.Scope.WRAPPER, wrapper.header);
    wrapper.begin.run();
    try {
      operation.action().run(dice);
    } catch (HeapExhaustedException e) {
      if (!wrapper.refusing && !refusing) {
        throw e;
      }
      twin.script.outOfMemory(true);
    }
    wrapper.end.run();
    twin.script.close(block);
    wrapping = false;
  }

  private void reserve(Dice dice) {
    int n = dice.below(twin.largest);
    twin.cannotSay("reserve external bytes: " + n);
    twin.heap.reserveExternal(n);
    twin.shadow.externalBytes += n;
  }

  private void release(Dice dice) {
    int n = (int) Math.min(twin.shadow.externalBytes, dice.below(twin.largest));
    twin.cannotSay("release external bytes: " + n);
    twin.heap.releaseExternal(n);
    twin.shadow.externalBytes -= n;
  }

  /** In the script a block's name is a local: seen in its frame only. */
  private boolean canName() {
    return !twin.sayable || twin.inMainFrame();
  }

  private void sayOfBlock(String statement) {
    if (twin.inMainFrame()) {
      twin.say(statement);
    } else {
      twin.cannotSay(statement);
    }
  }

  private void alloc(Dice dice) {
    if (blocks.size() > 20 || !canName()) {
      return;
    }
    Block block = new Block(made++);
    block.bytes = 1 + dice.below(dice.chance(90) ? 200 : twin.largest * 4);
    int way = dice.below(twin.sayable ? 2 : 3);
    sayOfBlock((way == 1 ? "raw-alloc " : "alloc ") + block.name + " " + block.bytes);
    block.place =
        way == 0
            ? twin.heap.plainMemory().alloc(block.bytes)
            : way == 1
                ? twin.heap.plainMemory().allocRaw(block.bytes)
                : twin.heap.plainMemory().allocZeroed(block.bytes);
    if (block.place != 0) {
      if (way == 2) {
        check(block);
      }
      blocks.add(block);
      twin.shadow.blockBytes += block.bytes;
      fill(block, (byte) dice.next());
    }
  }

  private void realloc(Dice dice) {
    if (blocks.isEmpty() || !canName()) {
      return;
    }
    Block block = dice.pick(blocks);
    int n = 1 + dice.below(dice.chance(90) ? 200 : twin.largest * 4);
    int way = dice.below(3);
    sayOfBlock((way == 2 ? "raw-realloc " : "realloc ") + block.name + " " + n);
    long moved;
    if (way == 0) {
      block.inUse++; // finalizers may resize it meanwhile, but not free it
      moved = twin.heap.plainMemory().reallocIndirect(() -> block.place, n);
      block.inUse--;
    } else {
      blocks.remove(block); // finalizers must not touch it meanwhile
      moved =
          way == 1
              ? twin.heap.plainMemory().realloc(block.place, n)
              : twin.heap.plainMemory().reallocRaw(block.place, n);
      blocks.add(block);
    }
    if (moved != 0) {
      block.place = moved;
      twin.shadow.blockBytes += n - block.bytes;
      block.bytes = Math.min(block.bytes, n);
      check(block);
      block.bytes = n;
      fill(block, (byte) dice.next());
    }
  }

  private void free(Dice dice) {
    if (blocks.isEmpty() || !canName()) {
      return;
    }
    Block block = dice.pick(blocks);
    if (block.inUse == 0) {
      sayOfBlock("free " + block.name);
      check(block);
      blocks.remove(block);
      twin.shadow.blockBytes -= block.bytes;
      twin.heap.plainMemory().free(block.place);
    }
  }

  void freeAll() {
    checkBlocks();
    for (Block block : blocks) {
      sayOfBlock("free " + block.name);
      twin.heap.plainMemory().free(block.place);
    }
    blocks.clear();
    twin.shadow.blockBytes = 0;
    twin.heap.releaseExternal(twin.shadow.externalBytes);
    twin.shadow.externalBytes = 0;
  }

  private void fill(Block block, byte value) {
    block.fill = value;
    twin.heap.plainMemory().block(block.place, block.bytes).fill(value);
  }

  private void check(Block block) {
    MemorySegment s = twin.heap.plainMemory().block(block.place, block.bytes);
    for (int i = 0; i < block.bytes; i++) {
      if (s.get(ValueLayout.JAVA_BYTE, i) != block.fill) {
        throw new AssertionError("byte " + i + " of a plain block of " + block.bytes);
      }
    }
  }

  void checkBlocks() {
    blocks.forEach(this::check);
  }
}
