package dev.gleaner.lab.workload;

import dev.gleaner.lab.workload.Graph.Shape;
import org.jspecify.annotations.Nullable;

/** {@link Graph} on plain Java objects; a full collection is {@link System#gc}. */
final class GraphBaseline implements JvmBaseline {

  private static final class Node {
    @Nullable Node a;
    @Nullable Node b;
  }

  @Override
  public long run(Run run) {
    Shape shape = Shape.of(run);
    @Nullable Node[] array = make(run, shape);
    run.progress(0.5);
    if (Graph.rootIsOne(run)) {
      long right = check(array, shape);
      Sink.value = array[shape == Shape.LIST ? array.length - 1 : 0];
      int n = array.length;
      array = new Node[0];
      collect(run, n);
      Sink.value = null;
      return right;
    }
    collect(run, array.length);
    return check(array, shape);
  }

  private static void collect(Run run, int n) {
    for (int i = 1; i <= Graph.COLLECTIONS; i++) {
      long start = System.nanoTime();
      System.gc();
      run.extra("collection_" + i + "_ms", (System.nanoTime() - start) / 1e6);
      run.progress(0.5 + 0.5 * i / Graph.COLLECTIONS);
    }
    Runtime runtime = Runtime.getRuntime();
    double used = runtime.totalMemory() - runtime.freeMemory();
    run.extra("bytes_per_element_with_array", used / n);
  }

  private static @Nullable Node[] make(Run run, Shape shape) {
    int n = run.parameters().positive("n");
    @Nullable Node[] array = new Node[n];
    for (int k = 0; k < n; k++) {
      array[k] = new Node();
    }
    Generator generator = new Generator();
    if (shape == Shape.SHUFFLED_LIST) {
      for (int i = n - 1; i > 0; i--) {
        int j = generator.wideIndex(i + 1);
        Node node = array[i];
        array[i] = array[j];
        array[j] = node;
      }
    }
    for (int k = 0; k < n; k++) {
      link(array, k, shape, generator);
    }
    return array;
  }

  private static void link(@Nullable Node[] array, int k, Shape shape, Generator generator) {
    Node node = array[k];
    if (node == null) {
      return;
    }
    switch (shape) {
      case LIST -> node.a = at(array, k - 1);
      case SHUFFLED_LIST -> node.a = at(array, k + 1);
      case TREE -> {
        node.a = at(array, 2 * k + 1);
        node.b = at(array, 2 * k + 2);
      }
      case RANDOM -> {
        node.a = array[generator.index(array.length)];
        node.b = array[generator.index(array.length)];
      }
    }
  }

  private static @Nullable Node at(@Nullable Node[] array, int index) {
    return index < 0 || index >= array.length ? null : array[index];
  }

  private static long check(@Nullable Node[] array, Shape shape) {
    int n = array.length;
    Generator generator = new Generator();
    long right = 0;
    for (int k = 0; k < n / 10; k++) {
      Node node = array[k];
      if (node == null) {
        continue;
      }
      right +=
          switch (shape) {
            case LIST -> same(node.a, at(array, k - 1));
            case SHUFFLED_LIST -> same(node.a, at(array, k + 1));
            case TREE -> same(node.a, at(array, 2 * k + 1)) + same(node.b, at(array, 2 * k + 2));
            case RANDOM ->
                same(node.a, array[generator.index(n)]) + same(node.b, array[generator.index(n)]);
          };
    }
    return right;
  }

  @SuppressWarnings("ReferenceEquality") // identity is what is checked
  private static int same(@Nullable Node node, @Nullable Node expected) {
    return node != null && node == expected ? 1 : 0;
  }
}
