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
 *   java -XX:+UseSerialGC -Xms128m -Xmx128m -XX:+AlwaysPreTouch --enable-native-access=ALL-UNNAMED \
 *       -cp lab/target/gleaner-lab.jar docs/images/GuestFork.java marksweep 1000000 FILE...
 * </pre>
 *
 * <p>The files are a prelude: modules of Lua, each of which becomes a global of its name. Times are
 * the thread's CPU time in microseconds, of one guest: the median and the 99th of a hundred.
 *
 * <p>With a number so many guests are forked, one after the other. Each runs lines of its own, and
 * is closed; each hundredth is parked in a file first, and woken. At each power of ten the memory
 * of the process is shown.
 */
final class GuestFork {
  private static final ThreadMXBean CLOCK = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int WARM = 3_000;
  private static final int COUNTED = 3_000;
  private static final int PARKED = 10_000;
  private static final int PART = 100;
  private static final int SAMPLES = 10_000;
  private static final String LINE = "x = (x or 0) + 1 return x";

  private interface Step {
    void run() throws IOException;
  }

  public static void main(String[] args) throws IOException {
    Lua lua =
        Lua.of(
            ConfigFactory.parseString("gleaner { memory.max = 8MiB, collector = " + args[0] + " }")
                .withFallback(ConfigFactory.load()));
    boolean counts = args.length > 1 && args[1].matches("\\d+");
    String[] files = Arrays.copyOfRange(args, counts ? 2 : 1, args.length);
    byte[][] texts = new byte[files.length][];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = Files.readAllBytes(Path.of(files[i]));
    }
    Image bare = image(lua, files, new byte[0][]);
    Image warm = image(lua, files, texts);
    System.out.printf("image of the libraries: %s; with the prelude: %s%n", bare, warm);
    if (counts) {
      series(lua, warm, Integer.parseInt(args[1]));
      return;
    }
    System.out.println("                                   p50     p99   CPU, us");
    row("open, run a line, close", () -> use(lua.open()));
    row("the same from an image", () -> use(lua.open(bare)));
    row("with the prelude run each time", () -> use(loaded(lua, files, texts)));
    row("with the prelude from an image", () -> use(lua.open(warm)));
    park(lua, warm);
  }

  private static Guest loaded(Lua lua, String[] files, byte[][] texts) {
    Guest guest = lua.open();
    for (int i = 0; i < texts.length; i++) {
      String name = Path.of(files[i]).getFileName().toString().replace(".lua", "");
      Object[] module = guest.run(texts[i], "@" + name);
      guest.set(name, module[0]);
    }
    return guest;
  }

  private static Image image(Lua lua, String[] files, byte[][] texts) {
    return loaded(lua, files, texts).park();
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

  /** The times of a step, of some guests among all. */
  private static final class Times {
    private final long[] nanos;
    private final int every;
    private int count;
    private int taken;

    Times(int steps) {
      every = Math.max(1, steps / SAMPLES);
      nanos = new long[steps / every];
    }

    long add(long start) {
      long now = CLOCK.getCurrentThreadCpuTime();
      if (count++ % every == 0 && taken < nanos.length) {
        nanos[taken++] = now - start;
      }
      return CLOCK.getCurrentThreadCpuTime();
    }

    void print(String name) {
      GuestFork.print(name, Arrays.copyOf(nanos, taken));
    }
  }

  private static void series(Lua lua, Image warm, int forks) throws IOException {
    Path file = Files.createTempFile("guest", ".img");
    Times fork = new Times(forks);
    Times line = new Times(forks);
    Times close = new Times(forks - forks / PART);
    Times park = new Times(forks / PART);
    Times wake = new Times(forks / PART);
    int shown = 1000;
    System.out.println("    forks   resident, MB   Java's heap, MB   CPU, s");
    for (int i = 1; i <= forks; i++) {
      long start = CLOCK.getCurrentThreadCpuTime();
      Guest guest = lua.open(warm);
      start = fork.add(start);
      Object[] _ = guest.run("x = (x or 0) + 1 function f() return " + i + " end return x");
      start = line.add(start);
      if (i % PART == 0) {
        guest.park().write(file);
        start = park.add(start);
        guest = lua.open(Image.read(file));
        start = wake.add(start);
        Object[] results = guest.run("x = x + 1 return x, f()");
        if (!results[0].equals(2L) || !results[1].equals((long) i)) {
          throw new IllegalStateException("another guest");
        }
        guest.close();
      } else {
        guest.close();
        start = close.add(start);
      }
      if (i == shown || i == forks) {
        shown *= 10;
        System.out.printf(
            Locale.ROOT,
            "%9d %14.1f %17.1f %8.1f%n",
            i,
            resident() / 1e6,
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6,
            CLOCK.getCurrentThreadCpuTime() / 1e9);
      }
    }
    Files.delete(file);
    System.out.println("                                   p50     p99   CPU, us");
    fork.print("fork");
    line.print("run a line");
    close.print("close");
    park.print("park in a file");
    wake.print("wake from a file");
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
