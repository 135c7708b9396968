package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Benchmarks Game's binary trees: a stretch tree, one that lives all the time, and many
 * temporary ones of each second depth, built and counted.
 *
 * <p>A node is a record of two slots; a leaf leaves them undefined. It is allocated before its
 * children, as the JVM does it for {@code new Node(build(d - 1), build(d - 1))}: so those who count
 * walk through memory in one direction. Each tree is built and counted in a frame of its own, whose
 * slots serve as registers: a call of depth d is told where its result goes and from which slot on
 * it may work, and leaves all below alone.
 *
 * <pre>
 *   build(dst, s, d)   slot:  dst …  s                 s+1 …
 *                             node   left, then right  free for build(s, s+1, d-1)
 * </pre>
 *
 * A node costs one {@code newRecord}, the store into its parent, and a load to visit it. The
 * checksum is the number of nodes in all trees.
 */
final class BinaryTrees extends NamedWorkload {

  BinaryTrees() {
    super(
        "binary-trees",
        "the Benchmarks Game's binary trees: many short-lived ones beside one that stays",
        Map.of("depth", "18"));
  }

  @Override
  public long run(Run run) {
    int depth = run.parameters().integer("depth");
    Mutator t = run.openHeap().mutator();
    t.enter(1);
    long sum = temporaryTree(t, depth + 1);
    longLivedTree(t, depth);
    for (int d = 4; d <= depth; d += 2) {
      long trees = 1L << (depth - d + 4);
      for (long i = 0; i < trees; i++) {
        sum += temporaryTree(t, d);
      }
      run.progress((d - 2.0) / depth);
    }
    sum += countLongLived(t, depth);
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static long temporaryTree(Mutator t, int depth) {
    t.enter(depth + 2);
    build(t, 0, 1, depth);
    long nodes = count(t, 0);
    t.leave();
    return nodes;
  }

  private static void longLivedTree(Mutator t, int depth) {
    t.enter(depth + 2);
    build(t, 0, 1, depth);
    t.leave(0, 0);
  }

  private static long countLongLived(Mutator t, int depth) {
    t.enter(depth + 2, 0, 1);
    long nodes = count(t, 0);
    t.leave();
    return nodes;
  }

  private static void build(Mutator t, int dst, int s, int depth) {
    t.newRecord(dst, 2);
    if (depth == 0) {
      return;
    }
    build(t, s, s + 1, depth - 1);
    t.store(dst, 0, s);
    build(t, s, s + 1, depth - 1);
    t.store(dst, 1, s);
  }

  private static int count(Mutator t, int node) {
    int child = node + 1;
    t.load(child, node, 0);
    if (!t.isReference(child)) {
      return 1;
    }
    int left = count(t, child);
    t.load(child, node, 1);
    return 1 + left + count(t, child);
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int depth = run.parameters().integer("depth");
      long sum = count(build(depth + 1));
      Node longLived = build(depth);
      for (int d = 4; d <= depth; d += 2) {
        long trees = 1L << (depth - d + 4);
        for (long i = 0; i < trees; i++) {
          sum += count(build(d));
        }
        run.progress((d - 2.0) / depth);
      }
      return sum + count(longLived);
    };
  }

  private record Node(@Nullable Node left, @Nullable Node right) {}

  private static Node build(int depth) {
    return depth == 0 ? new Node(null, null) : new Node(build(depth - 1), build(depth - 1));
  }

  private static int count(@Nullable Node node) {
    if (node == null) {
      return 0;
    }
    return node.left == null ? 1 : 1 + count(node.left) + count(node.right);
  }
}
