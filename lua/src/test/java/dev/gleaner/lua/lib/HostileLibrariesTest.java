package dev.gleaner.lua.lib;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.Oracle;
import dev.gleaner.testing.Tier;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Library functions that a hostile script makes work for ever, or ask for everything: each ends by
 * an error or a limit, within the heap's limit, and takes little of the JVM's memory.
 */
class HostileLibrariesTest {
  private static final long LIMIT = 2_000_000;

  /** For what ends by the limit alone. */
  private static final long ENDLESS_LIMIT = Tier.number(150_000, 2_000_000);

  private static final long MEMORY = 8 << 20;

  /** What the compiler takes for a script, and one slice of a function. */
  private static final long JVM_BYTES = 6 << 20;

  /** Garbage of an instruction at most, such as the words of a date. */
  private static final long GARBAGE = 128;

  private static final String TRY =
      """
      local function try(f, ...)
        local _, m = pcall(f, ...)
        print((tostring(m):gsub('^[^:]*:%d+: ', ''):match('%((no value)%)') or \
      tostring(m):gsub('^[^:]*:%d+: ', ''):match('#1 to .-%((array too big)%)') or \
      tostring(m):gsub('^[^:]*:%d+: ', '')))
      end
      """;

  record Case(String name, String expected, String script) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Arguments> cases() {
    List<Case> all = new ArrayList<>();
    String lines = Oracle.resource(HostileLibrariesTest.class, "/hostile-libraries.txt");
    for (String line : lines.lines().toList()) {
      if (!line.startsWith("#")) {
        List<String> parts = List.of(line.split(" \\| ", 3));
        all.add(new Case(parts.get(0), parts.get(1), parts.get(2)));
      }
    }
    List<Arguments> cases = new ArrayList<>();
    int collectors = Guests.COLLECTORS.size();
    for (int i = 0; i < all.size(); i++) {
      for (int c = 0; c < collectors; c++) {
        if (Tier.has(i, c, collectors)) {
          cases.add(Arguments.of(all.get(i), Guests.COLLECTORS.get(c)));
        }
      }
    }
    return cases.stream();
  }

  /** Counts, and keeps the beginning. */
  private static final class Output extends OutputStream {
    private final StringBuilder text = new StringBuilder();

    @Override
    public void write(int b) {
      if (text.length() < 1000) {
        text.append((char) (b & 0xFF));
      }
    }

    @Override
    public void write(byte[] b, int offset, int length) {
      int kept = Math.min(length, 1000 - Math.min(1000, text.length()));
      text.append(new String(b, offset, kept, StandardCharsets.ISO_8859_1));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Tag("seeds")
  void ends(Case c, String collector) {
    long limit = c.expected.equals("instructions") ? ENDLESS_LIMIT : LIMIT;
    String settings = "gleaner.memory.max = 8MiB\ngleaner.lua.max-instructions = " + limit;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Output out = new Output();
    try (Guest guest = Guests.lua(collector, settings).open(out)) {
      guest.run("return 1");
      long before = threads.getCurrentThreadAllocatedBytes();
      String end;
      try {
        guest.run((TRY + c.script).getBytes(StandardCharsets.ISO_8859_1), "@hostile.lua");
        end = out.text.toString().trim();
      } catch (LuaLimitException e) {
        end = e.limit().name().toLowerCase(Locale.ROOT);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      HeapStatistics statistics = guest.statistics();
      if (c.expected.equals("either")) {
        assertThat(end).isIn("instructions", "not enough memory");
      } else {
        assertThat(end).isEqualTo(c.expected);
      }
      assertThat(guest.instructions()).isLessThanOrEqualTo(limit);
      assertThat(statistics.peakBytes()).isLessThanOrEqualTo(MEMORY);
      assertThat(allocated)
          .as("bytes of the JVM")
          .isLessThan(JVM_BYTES + GARBAGE * guest.instructions());
    }
  }
}
