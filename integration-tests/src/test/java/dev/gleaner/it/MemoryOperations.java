package dev.gleaner.it;

import dev.gleaner.heap.CollectFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

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
    long place;
    int bytes;
    byte fill;
  }

  private final Twin twin;
  private final boolean incremental;
  private final List<Block> blocks = new ArrayList<>();

  /** Whether requests may be refused now, though there is memory. */
  boolean refusing;

  /** How often they began to be refused. */
  int refusals;

  MemoryOperations(Twin twin, boolean incremental) {
    this.twin = twin;
    this.incremental = incremental;
  }

  List<Operation> all() {
    return List.of(
        new Operation("collect", 3, this::collect),
        new Operation("step", incremental ? 8 : 0, this::step),
        new Operation("base flags", 1, this::baseFlags),
        new Operation("fail allocations", 4, this::fail),
        new Operation("reserve external", 3, this::reserve),
        new Operation("release external", 3, this::release),
        new Operation("alloc", 4, this::alloc),
        new Operation("realloc", 4, this::realloc),
        new Operation("free", 3, this::free));
  }

  private void collect(Dice dice) {
    int flags = dice.pick(FLAGS);
    twin.log.add("collect " + flags);
    twin.heap.collect(flags);
  }

  private void step(Dice dice) {
    int n = dice.between(1, 4);
    twin.log.add("step " + n + (twin.heap.step(n) ? ": complete" : ""));
  }

  private void baseFlags(Dice dice) {
    int flags = dice.chance(60) ? 0 : dice.pick(FLAGS);
    twin.log.add("base flags " + flags);
    int _ = twin.heap.setBaseFlags(flags);
  }

  /** Refuses some requests soon, most often few enough for a retry to succeed. */
  private void fail(Dice dice) {
    int after = dice.below(6);
    int times = dice.chance(70) ? dice.between(1, 5) : dice.between(6, 40);
    twin.log.add("failAllocations after " + after + " for " + times);
    twin.heap.failAllocations(after, times);
    refusing = true;
    refusals++;
  }

  private void reserve(Dice dice) {
    int n = dice.below(twin.largest);
    twin.log.add("reserveExternal " + n);
    twin.heap.reserveExternal(n);
    twin.shadow.externalBytes += n;
  }

  private void release(Dice dice) {
    int n = (int) Math.min(twin.shadow.externalBytes, dice.below(twin.largest));
    twin.log.add("releaseExternal " + n);
    twin.heap.releaseExternal(n);
    twin.shadow.externalBytes -= n;
  }

  private void alloc(Dice dice) {
    if (blocks.size() > 20) {
      return;
    }
    Block block = new Block();
    block.bytes = 1 + dice.below(dice.chance(90) ? 200 : twin.largest * 4);
    int way = dice.below(3);
    twin.log.add("alloc " + block.bytes + " (" + way + ")");
    block.place =
        way == 0
            ? twin.heap.alloc(block.bytes)
            : way == 1 ? twin.heap.allocRaw(block.bytes) : twin.heap.allocZeroed(block.bytes);
    if (block.place != 0) {
      if (way == 2) {
        check(block);
      }
      blocks.add(block);
      fill(block, (byte) dice.next());
    }
  }

  private void realloc(Dice dice) {
    if (blocks.isEmpty()) {
      return;
    }
    Block block = dice.pick(blocks);
    int n = 1 + dice.below(dice.chance(90) ? 200 : twin.largest * 4);
    int way = dice.below(3);
    twin.log.add("realloc " + block.bytes + " to " + n + " (" + way + ")");
    // Finalizers may use the blocks meanwhile; only the indirect way is for that.
    if (way != 0) {
      blocks.remove(block);
    }
    long moved =
        way == 0
            ? twin.heap.reallocIndirect(() -> block.place, n)
            : way == 1 ? twin.heap.realloc(block.place, n) : twin.heap.reallocRaw(block.place, n);
    if (way != 0) {
      blocks.add(block);
    }
    if (moved != 0) {
      block.place = moved;
      block.bytes = Math.min(block.bytes, n);
      check(block);
      block.bytes = n;
      fill(block, (byte) dice.next());
    }
  }

  private void free(Dice dice) {
    if (!blocks.isEmpty()) {
      Block block = dice.pick(blocks);
      twin.log.add("free " + block.bytes);
      check(block);
      blocks.remove(block);
      twin.heap.free(block.place);
    }
  }

  void freeAll() {
    checkBlocks();
    blocks.forEach(b -> twin.heap.free(b.place));
    blocks.clear();
    twin.heap.releaseExternal(twin.shadow.externalBytes);
    twin.shadow.externalBytes = 0;
  }

  private void fill(Block block, byte value) {
    block.fill = value;
    twin.heap.block(block.place, block.bytes).fill(value);
  }

  private void check(Block block) {
    MemorySegment s = twin.heap.block(block.place, block.bytes);
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
