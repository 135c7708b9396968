package dev.gleaner.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.Image;
import dev.gleaner.lua.Lua;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.refusal.StackFullException;
import dev.gleaner.testing.Tier;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Images of guests that somebody changed, with a right checksum: each is refused, or opens a guest
 * whose scripts run, fail, or end with the guest. No other exception reaches the host.
 */
class GuestImageDamageTest {
  private static final int CHANGES = Tier.number("gleaner.test.images", 300, 5_000);

  private static final String SETTINGS =
      "gleaner { memory.max = 512KiB, lua.max-instructions = 20000, lua.max-time = 5s, collector ="
          + " ";

  private static final String RUN =
      """
      local results = {}
      for k, v in pairs(_G) do
        if type(v) == 'function' and k ~= 'error' then pcall(v, 1, 2, 3) end
        if type(v) == 'thread' then pcall(coroutine.resume, v, 1) pcall(coroutine.close, v) end
        pcall(function() return tostring(v), v.x, v < v, v .. v, #v, -v end)
      end
      t = nil w = nil collectgarbage()
      return ('x'):rep(3), string.format('%s %5.1f', 'a', 1.5)
      """;

  private static byte[] image() {
    try (Guest guest = Lua.of(ConfigFactory.parseString(SETTINGS + "marksweep }")).open()) {
      var _ =
          guest.run(
              """
              t = setmetatable({1, 2, x = 'y'}, {__gc = function() gone = true end})
              function count(...) n = (n or 0) + select('#', ...) return n end
              do
                local up = 5
                function up1(a, b) up = up + (a or 1) return up .. b, up end
                function up2() for i = 1, up do local x <close> = t end end
              end
              co = coroutine.create(function(a)
                local x <close> = setmetatable({}, {__close = function() closed = 1 end})
                for i, v in ipairs{1, 2, 3} do
                  local ok, b = pcall(function(...) return coroutine.yield(i + v, ...) end, a)
                end
                local s = setmetatable({}, {__add = coroutine.yield}) + 1
              end)
              coroutine.resume(co, 1)
              wrapped = coroutine.wrap(function() for k in pairs(t) do coroutine.yield(k) end end)
              wrapped()
              dead = coroutine.create(function() local x <close> = t error({}) end)
              coroutine.resume(dead)
              w = setmetatable({[t] = t}, {__mode = 'k'})
              it = ('a b c'):gmatch('%a')
              it()
              """);
      return guest.image().bytes();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"refcount", "marksweep", "hybrid", "semispace", "framestack"})
  @Tag("seeds")
  void isRefusedOrRuns(String collector) {
    byte[] image = image();
    Lua lua = Lua.of(ConfigFactory.parseString(SETTINGS + collector + " }"));
    SplittableRandom random = new SplittableRandom(Long.getLong("gleaner.seed", 1));
    int opened = 0;
    for (int i = 0; i < CHANGES; i++) {
      byte[] changed = image.clone();
      int changes = 1 + random.nextInt(random.nextInt(3) == 0 ? 6 : 1);
      for (int c = 0; c < changes; c++) {
        int at = random.nextInt(ImageFormat.HEADER_BYTES, changed.length);
        changed[at] = change(random, changed[at]);
      }
      ImageFormat.seal(changed);
      try {
        opened += opens(lua, changed) ? 1 : 0;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("change " + i + " of seed " + Long.getLong("gleaner.seed", 1), e);
      }
    }
    assertThat(opened).isBetween(CHANGES / 100, CHANGES - CHANGES / 10);
  }

  private static byte change(SplittableRandom random, byte old) {
    return switch (random.nextInt(4)) {
      case 0 -> (byte) (old ^ 1 << random.nextInt(8));
      case 1 -> (byte) (old + random.nextInt(-2, 3));
      case 2 -> (byte) random.nextInt(12);
      default -> (byte) random.nextInt();
    };
  }

  private static boolean opens(Lua lua, byte[] changed) {
    try (Guest guest = lua.open(Image.of(changed))) {
      assertThat(guest.heap().inspect().verify()).isEmpty();
      try {
        var _ = guest.run(RUN);
      } catch (GuestException e) {
        assertThat(e.getMessage()).doesNotContainPattern("null|Index|java\\.");
      }
      assertThat(guest.heap().inspect().verify()).isEmpty();
      return true;
    } catch (ImageException | HeapExhaustedException | StackFullException e) {
      return false;
    }
  }
}
