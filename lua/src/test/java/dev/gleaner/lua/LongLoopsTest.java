package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Scripts that do one dear thing again and again. A call that charges too little is short alone,
 * but a loop of such calls outlasts a limit on time, as the clocks are looked at after 2,000
 * instructions. Collections are charged, too, and would hide this, so there are none.
 *
 * <pre>
 *   hostile/loops.txt    --- a name, then what is made ready, --, then the loop
 * </pre>
 */
@Tag("exhaustive")
class LongLoopsTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Far above the limit of 100 ms: what is charged too little takes many times as long. */
  private static final long GUARD = 1_000_000_000;

  private static final Budget LIMIT = Budget.ofCpuTime(Duration.ofMillis(100));

  private final List<String> late = new ArrayList<>();

  @Test
  void endSoonAfterTheirLimit() {
    Lua lua =
        Lua.of(
            ConfigFactory.parseString(
                "gleaner { collector = refcount, voluntary.enabled = false, memory.max = 64MiB }"));
    String[] scripts =
        Oracle.resource(LongLoopsTest.class, "/hostile/loops.txt").split("(?m)^--- ");
    assertThat(scripts).hasSizeGreaterThan(250);
    Arrays.stream(scripts).skip(1).forEach(script -> run(lua, script));
    assertThat(late).isEmpty();
  }

  private void run(Lua lua, String script) {
    String name = script.lines().findFirst().orElseThrow();
    String[] parts = script.substring(name.length()).split("\n--\n", -1);
    Guest guest = lua.open();
    long began = 0;
    try {
      var _ = guest.run(parts[0]);
      began = THREADS.getCurrentThreadCpuTime();
      var _ = guest.run(parts[1], LIMIT);
    } catch (GuestException e) {
      if (began == 0) {
        late.add(name + " is not made ready: " + e);
      }
    }
    if (began > 0) {
      judge(name, began);
    }
    began = THREADS.getCurrentThreadCpuTime();
    guest.close();
    judge(name + ", when it is closed", began);
  }

  private void judge(String name, long began) {
    long took = THREADS.getCurrentThreadCpuTime() - began;
    if (took > GUARD) {
      late.add("%s: %d ms".formatted(name, took / 1_000_000));
    }
  }
}
