package dev.gleaner.lab.workload;

import static dev.gleaner.lab.workload.GcBench.DOUBLES;
import static dev.gleaner.lab.workload.GcBench.LEAST_DEPTH;

import org.jspecify.annotations.Nullable;

/** {@link GcBench} on plain Java objects. */
record GcBenchBaseline(int stretch, int largest) implements JvmBaseline {
  @SuppressWarnings("UnusedVariable") // the integers are there for the size of a node
  private static final class Node {
    @Nullable Node left;
    @Nullable Node right;
    int i;
    int j;
  }

  @Override
  public long run(Run run) {
    long sum = bottomUpTree(stretch);
    Node longLived = new Node();
    populate(longLived, largest);
    double[] doubles = new double[DOUBLES];
    for (int i = 0; i < DOUBLES / 2; i++) {
      doubles[i] = 1.0 / i;
    }
    for (int d = LEAST_DEPTH; d <= largest; d += 2) {
      int trees = GcBench.trees(stretch, d);
      for (int i = 0; i < trees; i++) {
        sum += topDownTree(d);
      }
      for (int i = 0; i < trees; i++) {
        sum += bottomUpTree(d);
      }
      run.progress((d - 2.0) / largest);
    }
    Sink.value = null;
    sum += count(longLived);
    return doubles[1000] == 1.0 / 1000 ? sum + 7 : sum;
  }

  private static int topDownTree(int depth) {
    Node root = new Node();
    populate(root, depth);
    Sink.value = root;
    return root.left == null ? 0 : 1;
  }

  private static int bottomUpTree(int depth) {
    Node root = build(depth);
    Sink.value = root;
    return root.left == null ? 0 : 1;
  }

  private static void populate(Node node, int depth) {
    if (depth == 0) {
      return;
    }
    Node left = new Node();
    Node right = new Node();
    node.left = left;
    node.right = right;
    populate(left, depth - 1);
    populate(right, depth - 1);
  }

  private static Node build(int depth) {
    Node left = null;
    Node right = null;
    if (depth > 0) {
      left = build(depth - 1);
      right = build(depth - 1);
    }
    Node node = new Node();
    node.left = left;
    node.right = right;
    return node;
  }

  private static int count(@Nullable Node node) {
    return node == null ? 0 : 1 + count(node.left) + count(node.right);
  }
}
