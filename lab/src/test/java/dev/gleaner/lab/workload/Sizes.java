package dev.gleaner.lab.workload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.stream.IntStream;
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
            tenants(),
            diary())
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

  /** The programs of fble's diary, by their rules. */
  private static Stream<Size> diary() {
    return IntStream.of(0, 1, 27, 28, 31, 32, 3000)
        .boxed()
        .flatMap(n ->
            Stream.of(
                size(new Md5(), md5(n), "n", n.toString()),
                size(new Monad(), bytesChecksum(monad(n)), "n", n.toString()),
                size(new BacktrackingParser(), parser(n), "n", n.toString()),
                size(new Document(), bytesChecksum(document(n)), "n", n.toString())));
  }

  private static long md5(int n) {
    try {
      byte[] digest = MessageDigest.getInstance("MD5").digest("y\n".repeat(n).getBytes(UTF_8));
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] monad(int n) {
    byte[] bytes = new byte[n];
    for (int k = 0; k < n; k++) {
      bytes[k] = (byte) (k % 251);
    }
    return bytes;
  }

  private static long bytesChecksum(byte[] bytes) {
    long sum = 0;
    for (byte each : bytes) {
      sum = 31 * sum + (each & 0xff);
    }
    return sum;
  }

  private static long parser(int n) {
    Generator generator = new Generator();
    long sum = 0;
    for (int k = 0; k < n; k++) {
      int length = 1 + generator.index(8);
      for (int place = 1; place <= length; place++) {
        int variable = 1 + generator.index(50);
        sum += (long) place * (generator.index(2) == 1 ? -variable : variable);
      }
    }
    return sum;
  }

  private static byte[] document(int n) {
    Generator generator = new Generator();
    StringBuilder text = new StringBuilder();
    for (int k = 0; k < n; k++) {
      text.append("<section id=\"").append(k).append("\">");
      int paragraphs = 1 + generator.index(4);
      for (int j = 0; j < paragraphs; j++) {
        text.append("<p id=\"").append(j).append("\">");
        int words = 1 + generator.index(6);
        for (int i = 0; i < words; i++) {
          text.append('w').append(generator.index(1000)).append(' ');
        }
        text.append("</p>");
      }
      text.append("</section>");
    }
    return text.toString().getBytes(UTF_8);
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
