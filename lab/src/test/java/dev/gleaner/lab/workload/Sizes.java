package dev.gleaner.lab.workload;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Small sizes of every workload with the checksum expected: from the C program of the same
 * definition where there is one, else from the rule that the workload's class comment states, else
 * from the baseline.
 */
final class Sizes {

  record Size(Workload workload, Map<String, String> given, long checksum) {
    @Override
    public String toString() {
      return workload.name() + given;
    }
  }

  private Sizes() {}

  static Stream<Size> small() {
    return Stream.of(
            fromC(),
            graphs(),
            frames(),
            closures(),
            finalizers(),
            properties(),
            buffers(),
            tenants())
        .flatMap(sizes -> sizes);
  }

  private static Size size(Workload workload, long checksum, String... given) {
    return new Size(workload, Parameters.defaults(given), checksum);
  }

  private static Stream<Size> fromC() {
    return Stream.of(
        size(new BinaryTrees(), 590, "depth", "4"),
        size(new BinaryTrees(), 135854, "depth", "10"),
        size(new BinaryTrees(), 1348958, "depth", "13"),
        size(new Cycles(), 500500, "n", "1000"),
        size(new Cycles(), 1250025000, "n", "50000"),
        size(new Churn(), 499995452101L, "n", "1000"),
        size(new Churn(), 510940904900L, "n", "300000"),
        size(new Strings(), 102291649, "n", "2000"),
        size(new Strings(), 101440711, "n", "50000"),
        size(new Graph(), 200, "n", "1000"),
        size(new Graph(), 10000, "n", "50000"));
  }

  private static Stream<Size> graphs() {
    return Stream.of("array", "one")
        .flatMap(root ->
            Stream.of(
                size(new Graph(), 10000, "n", "50000", "root", root, "shape", "random"),
                size(new Graph(), 4999, "n", "50000", "root", root, "shape", "list"),
                size(new Graph(), 5000, "n", "50000", "root", root, "shape", "shuffled-list"),
                size(new Graph(), 10000, "n", "50000", "root", root, "shape", "tree"),
                size(new Graph(), 0, "n", "1", "root", root, "shape", "tree")));
  }

  private static Stream<Size> frames() {
    return Stream.of(
        size(new ListOfCalls(), 0, "n", "0"),
        size(new ListOfCalls(), 49_995_000, "n", "10000"),
        size(new ListOfCalls(), 49_995_000, "n", "10000", "through", "one"),
        size(new TailCalls(), 0, "n", "0"),
        size(new TailCalls(), 1_249_975_000L + 350_000, "n", "50000"),
        size(new NestedCalls(), 5_000, "n", "100"),
        size(new NestedCalls(), 300, "n", "100", "frames", "6"),
        likeBaseline(new OldAndYoung(), "0"),
        likeBaseline(new OldAndYoung(), "50000"));
  }

  private static Stream<Size> closures() {
    return Stream.of(0L, 1L, 25_000L)
        .map(n -> size(new Closures(), n * (n - 1) / 2, "n", Long.toString(n)));
  }

  private static Stream<Size> finalizers() {
    return LongStream.of(0, 1, 2, 3, 30, 20_000, 20_001, 20_002)
        .mapToObj(n -> size(new Finalizers(), finalizersChecksum(n), "n", Long.toString(n)));
  }

  private static long finalizersChecksum(long n) {
    long sum = n * (n + 1) / 2;
    for (long first = 0; first < n; first += 3) {
      if (first / 3 % 10 < 3) {
        sum += Math.min(first + 3, n);
      }
    }
    return sum;
  }

  private static Stream<Size> properties() {
    return Stream.of("0", "1", "200", "5500").map(n -> likeBaseline(new Properties(), n));
  }

  private static Stream<Size> buffers() {
    return Stream.of("0", "1", "900", "20000").map(n -> likeBaseline(new Buffers(), n));
  }

  private static Size likeBaseline(Workload workload, String n) {
    Map<String, String> given = Map.of("n", n);
    return new Size(workload, given, runBaseline(workload, given));
  }

  static long runBaseline(Workload workload, Map<String, String> given) {
    JvmBaseline baseline = requireNonNull(workload.baseline(), workload.name());
    return baseline.run(new TestRun(workload, given));
  }

  private static Stream<Size> tenants() {
    return LongStream.of(0, 1, 50)
        .mapToObj(n -> size(new Tenants(), tenantsChecksum(n), "heaps", Long.toString(n)));
  }

  private static long tenantsChecksum(long heaps) {
    long sum = 0;
    for (int tenant = 0; tenant < heaps; tenant++) {
      sum += ("tenant " + tenant).length();
      sum += 8 * tenant + 8 * 7 / 2;
      sum += 300 * tenant + 300 * 299 / 2;
    }
    return sum;
  }
}
