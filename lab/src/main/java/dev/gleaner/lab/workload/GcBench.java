package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * The benchmark of John Ellis and Pete Kovac, modified by Hans Boehm: a stretch tree, a tree and a
 * buffer of doubles that live all the time, and temporary trees of depth 4, 6 … 16, as many nodes
 * of each depth, built top-down and bottom-up.
 *
 * <p>A node is a record of two references, left undefined in a leaf, and two integers. Each tree is
 * built in a frame of its own, whose slots serve as registers, as in {@link BinaryTrees}. The
 * checksum is the number of trees whose root has a child, plus the nodes of the tree that lived,
 * plus 7 if the buffer kept its contents.
 */
final class GcBench extends NamedWorkload {
  private static final int LEFT = 0;
  private static final int RIGHT = 1;
  private static final int I = 2;
  private static final int J = 3;
  private static final int NODE_SLOTS = 4;
  static final int DOUBLES = 500_000;
  static final int LEAST_DEPTH = 4;

  /** The depth of the stretch tree; all else follows from it. */
  private final int stretch;

  /** The depth of the tree that lives, and of the largest temporary ones. */
  private final int largest;

  GcBench() {
    this(18);
  }

  /** Makes a smaller or larger one, with trees of up to this depth, at least 4. */
  GcBench(int stretch) {
    super(
        "gcbench",
        "Ellis, Kovac and Boehm's: temporary trees of several depths beside a tree and a buffer"
            + " that stay",
        Map.of());
    this.stretch = stretch;
    this.largest = stretch - 2;
  }

  @Override
  public long run(Run run) {
    Mutator t = run.openHeap().mutator();
    t.enter(2);
    long sum = bottomUpTree(t, stretch);
    longLivedTree(t, largest);
    doubles(t);
    for (int d = LEAST_DEPTH; d <= largest; d += 2) {
      int trees = trees(stretch, d);
      for (int i = 0; i < trees; i++) {
        sum += topDownTree(t, d);
      }
      for (int i = 0; i < trees; i++) {
        sum += bottomUpTree(t, d);
      }
      run.progress((d - 2.0) / largest);
    }
    sum += countLongLived(t, largest);
    if (t.getDouble(1, 1000 * 8L) == 1.0 / 1000) {
      sum += 7;
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  /** Returns how many temporary trees of this depth are built each way. */
  static int trees(int stretch, int depth) {
    return 2 * nodes(stretch) / nodes(depth);
  }

  private static int nodes(int depth) {
    return (1 << (depth + 1)) - 1;
  }

  private static int topDownTree(Mutator t, int depth) {
    t.enter(2 * depth + 2);
    newNode(t, 0);
    populate(t, 0, 1, depth);
    int sum = hasChild(t);
    t.leave();
    return sum;
  }

  private static int bottomUpTree(Mutator t, int depth) {
    t.enter(2 * depth + 2);
    build(t, 0, 1, depth);
    int sum = hasChild(t);
    t.leave();
    return sum;
  }

  private static void longLivedTree(Mutator t, int depth) {
    t.enter(2 * depth + 2);
    newNode(t, 0);
    populate(t, 0, 1, depth);
    t.leave(0, 0);
  }

  private static void doubles(Mutator t) {
    t.newBuffer(1, DOUBLES * 8L);
    for (int i = 0; i < DOUBLES / 2; i++) {
      t.putDouble(1, i * 8L, 1.0 / i);
    }
  }

  private static int countLongLived(Mutator t, int depth) {
    t.enter(depth + 2, 0, 1);
    int nodes = count(t, 0);
    t.leave();
    return nodes;
  }

  private static int hasChild(Mutator t) {
    t.load(1, 0, LEFT);
    return t.isReference(1) ? 1 : 0;
  }

  private static void newNode(Mutator t, int dst) {
    t.newRecord(dst, NODE_SLOTS);
    t.storeInt(dst, I, 0);
    t.storeInt(dst, J, 0);
  }

  /** Gives the node two children, in slots s and s + 1, and goes on in them. */
  private static void populate(Mutator t, int node, int s, int depth) {
    if (depth == 0) {
      return;
    }
    newNode(t, s);
    t.store(node, LEFT, s);
    newNode(t, s + 1);
    t.store(node, RIGHT, s + 1);
    populate(t, s, s + 2, depth - 1);
    populate(t, s + 1, s + 2, depth - 1);
  }

  /** Makes two subtrees, in slots s and s + 1, then the node that holds them. */
  private static void build(Mutator t, int dst, int s, int depth) {
    if (depth == 0) {
      newNode(t, dst);
      return;
    }
    build(t, s, s + 1, depth - 1);
    build(t, s + 1, s + 2, depth - 1);
    newNode(t, dst);
    t.store(dst, LEFT, s);
    t.store(dst, RIGHT, s + 1);
  }

  private static int count(Mutator t, int node) {
    int nodes = 1;
    int child = node + 1;
    t.load(child, node, LEFT);
    if (t.isReference(child)) {
      nodes += count(t, child);
      t.load(child, node, RIGHT);
      nodes += count(t, child);
    }
    return nodes;
  }

  @Override
  public JvmBaseline baseline() {
    return new GcBenchBaseline(stretch, largest);
  }
}
