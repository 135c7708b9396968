import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Image;
import dev.gleaner.lua.Lua;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures guests from images beside guests from scripts, for docs/images.md:
 *
 * <pre>
 *   java --enable-native-access=ALL-UNNAMED -cp lab/target/gleaner-lab.jar docs/images/GuestFork.java marksweep FILE...
 * </pre>
 *
 * <p>The files are a prelude: modules of Lua, each of which becomes a global of its name. Times are
 * the thread's CPU time in microseconds, of one guest: the median and the 99th of a hundred.
 */
final class GuestFork {
  private static final ThreadMXBean CLOCK = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WARM = 3_000;
  private static final int COUNTED = 3_000;
  private static final int PARKED = 10_000;
  private static final String LINE = "x = (x or 0) + 1 return x";

  private interface Step {
    void run() throws IOException;
  }

  public static void main(String[] args) throws IOException {
    Lua lua =
        Lua.of(
            ConfigFactory.parseString("gleaner { memory.max = 8MiB, collector = " + args[0] + " }")
                .withFallback(ConfigFactory.load()));
    byte[][] texts = new byte[args.length - 1][];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = Files.readAllBytes(Path.of(args[i + 1]));
    }
    Image bare = image(lua, args, new byte[0][]);
    Image warm = image(lua, args, texts);
    System.out.printf("image of the libraries: %s; with the prelude: %s%n", bare, warm);
    System.out.println("                                   p50     p99   CPU, us");
    row("open, run a line, close", () -> use(lua.open()));
    row("the same from an image", () -> use(lua.open(bare)));
    row("with the prelude run each time", () -> use(loaded(lua, args, texts)));
    row("with the prelude from an image", () -> use(lua.open(warm)));
    park(lua, warm);
  }

  private static Guest loaded(Lua lua, String[] args, byte[][] texts) {
    Guest guest = lua.open();
    for (int i = 0; i < texts.length; i++) {
      String name = Path.of(args[i + 1]).getFileName().toString().replace(".lua", "");
      Object[] module = guest.run(texts[i], "@" + name);
      guest.set(name, module[0]);
    }
    return guest;
  }

  private static Image image(Lua lua, String[] args, byte[][] texts) {
    return loaded(lua, args, texts).park();
  }

  private static void use(Guest guest) {
    try (guest) {
      Object[] _ = guest.run(LINE);
    }
  }

  private static void row(String name, Step step) throws IOException {
    for (int i = 0; i < WARM; i++) {
      step.run();
    }
    long[] times = new long[COUNTED];
    for (int i = 0; i < COUNTED; i++) {
      long start = CLOCK.getCurrentThreadCpuTime();
      step.run();
      times[i] = CLOCK.getCurrentThreadCpuTime() - start;
    }
    print(name, times);
  }

  private static void print(String name, long[] times) {
    Arrays.sort(times);
    System.out.printf(
        Locale.ROOT,
        "%-30s %7.0f %7.0f%n",
        name,
        times[times.length / 2] / 1e3,
        times[times.length * 99 / 100] / 1e3);
  }

  /** Forks guests, runs a line in each, parks it in a file; then wakes each, and parks it again. */
  private static void park(Lua lua, Image warm) throws IOException {
    Path folder = Files.createTempDirectory("guests");
    long before = resident();
    long[] forked = new long[PARKED];
    long bytes = 0;
    for (int i = 0; i < PARKED; i++) {
      long start = CLOCK.getCurrentThreadCpuTime();
      Guest guest = lua.open(warm);
      Object[] _ = guest.run(LINE);
      Image image = guest.park();
      image.write(folder.resolve(i + ".img"));
      forked[i] = CLOCK.getCurrentThreadCpuTime() - start;
      bytes += image.size();
    }
    print("fork, run a line, park", forked);
    long[] woken = new long[PARKED];
    for (int i = 0; i < PARKED; i++) {
      long start = CLOCK.getCurrentThreadCpuTime();
      Path file = folder.resolve(i + ".img");
      try (Guest guest = lua.open(Image.read(file))) {
        woken[i] = CLOCK.getCurrentThreadCpuTime() - start;
        if (!guest.run(LINE)[0].equals(2L)) {
          throw new IllegalStateException("another guest");
        }
      }
      Files.delete(file);
    }
    Files.delete(folder);
    print("wake from a file", woken);
    System.out.printf(
        Locale.ROOT,
        "%d parked guests: %.1f MB in files; resident memory %.0f MB before, %.0f after%n",
        PARKED,
        bytes / 1e6,
        before / 1e6,
        resident() / 1e6);
  }

  private static long resident() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.UTF_8)) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    return -1;
  }
}
