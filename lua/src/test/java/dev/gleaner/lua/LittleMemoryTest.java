package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A script for which there is no memory has an error that it can catch, wherever that happens:
 * while another error is under way, too. If nothing catches it the guest goes on with the next
 * script.
 */
@Tag("exhaustive")
class LittleMemoryTest {
  /** The script's code takes 40 KiB, and code has a quarter of the limit at most. */
  private static final int LEAST = 192 << 10;

  private static final int STEP = 3003;
  private static final int LIMITS = 4;

  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "refcount", "hybrid", "semispace", "framestack"})
  void leavesTheGuestInOrder(String collector) {
    byte[] script =
        Oracle.resource(LittleMemoryTest.class, "/pressure.lua")
            .getBytes(StandardCharsets.ISO_8859_1);
    int finished = 0;
    for (int i = 0; i < LIMITS; i++) {
      String settings =
          "gleaner { collector = %s, memory.max = %dB, lua.compile-after = 50 }"
              .formatted(collector, LEAST + i * STEP);
      OutputStream nowhere = OutputStream.nullOutputStream();
      try (Guest guest =
          Lua.of(ConfigFactory.parseString(settings))
              .openTrusted(InputStream.nullInputStream(), nowhere, nowhere)) {
        finished += finishes(guest, script) ? 1 : 0;
        assertThat(guest.heap().mutator().frameDepth()).isOne();
        assertThat(guest.heap().inspect().verify()).isEmpty();
        assertThat(guest.run("return 'next'")).containsExactly("next");
      }
    }
    assertThat(finished).isPositive();
  }

  private static boolean finishes(Guest guest, byte[] script) {
    try {
      @Nullable Object[] counts = guest.run(script, "@pressure.lua");
      assertThat(counts).doesNotContain(0L);
      return true;
    } catch (LuaMemoryException e) {
      return false; // at a place that the script does not protect
    }
  }
}
