package dev.gleaner.lua.lib;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs scripts in guests, for tests. Bytes are Java strings of ISO 8859-1. */
final class Guests {
  static final List<String> COLLECTORS =
      List.of("framestack", "hybrid", "marksweep", "refcount", "semispace");

  private Guests() {}

  static Lua lua(String collector, String settings) {
    Config config = ConfigFactory.parseString(settings + "\ngleaner.collector = " + collector);
    return Lua.of(config.withFallback(ConfigFactory.load()));
  }

  /** What a trusted script prints, with a message for an error that it does not catch. */
  static String run(String collector, String settings, String script, String input) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayInputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
    try (Guest guest = lua(collector, settings).openTrusted(in, out, out)) {
      guest.run(script.getBytes(StandardCharsets.ISO_8859_1), "@script.lua");
      assertThat(guest.heap().inspect().verify()).isEmpty();
    } catch (LuaException e) {
      out.writeBytes(("lua: " + e.getMessage()).getBytes(StandardCharsets.UTF_8));
    }
    return out.toString(StandardCharsets.ISO_8859_1);
  }
}
