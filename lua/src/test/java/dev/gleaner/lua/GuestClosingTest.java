package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.testing.Log;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing, what a guest writes, and what it makes the log grow. */
class GuestClosingTest {
  private static Guest open(String settings, ByteArrayOutputStream out) {
    return Lua.of(ConfigFactory.parseString(settings)).open(out);
  }

  private static final String LOOP =
      "setmetatable({}, {__gc = function() print('gc') end})"
          + " local n = 0 for i = 1, 1000 do n = n + #tostring(i) end return n";

  @ParameterizedTest
  @ValueSource(strings = {"refcount", "marksweep", "hybrid", "semispace", "framestack"})
  void anyThreadClosesAGuestOnceItsOwnHasEnded(String collector) throws InterruptedException {
    var out = new ByteArrayOutputStream();
    for (Thread.Builder builder : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
      out.reset();
      CountDownLatch ran = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      AtomicReference<@Nullable Guest> opened = new AtomicReference<>();
      Thread owner =
          builder.start(() -> {
            Guest guest = open("gleaner.collector = " + collector, out);
            guest.run(LOOP);
            opened.set(guest);
            ran.countDown();
            try {
              over.await();
              guest.run("f = coroutine.wrap(function() error({}) end) f()");
            } catch (GuestException | InterruptedException e) {
              // The thread ends so.
            }
          });
      ran.await();
      Guest guest = Objects.requireNonNull(opened.get());
      assertThatThrownBy(guest::close).isInstanceOf(WrongThreadException.class);
      over.countDown();
      owner.join();
      guest.close();
      assertThat(guest.heap().isClosed()).isTrue();
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("gc\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"refcount", "marksweep", "hybrid", "semispace", "framestack"})
  void closingCollectsNothing(String collector) {
    List<CollectionEvent> collections = new ArrayList<>();
    try (Guest guest = open("gleaner.collector = " + collector, new ByteArrayOutputStream())) {
      guest.run(LOOP);
      guest
          .heap()
          .addListener(
              new HeapListener() {
                @Override
                public void collectionFinished(CollectionEvent event) {
                  collections.add(event);
                }
              });
    }
    assertThat(collections).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "print(('x'):rep(600))",
        "print(1) print(2) io.write(('x'):rep(600))",
        "for i = 1, 1e9 do io.write('x') end",
        "pcall(function() while true do print('x') end end) return 1",
        "coroutine.wrap(function() while true do io.stderr:write('x') end end)()",
        "local t <close> = setmetatable({}, {__close = function() print(('x'):rep(600)) end})",
        "warn('@on') while true do warn('x') end",
        "io.stdout:setvbuf('full') while true do io.stdout:write('x', 1, 'y') end",
        "print(setmetatable({}, {__tostring = function() while true do print('x') end end}))",
      })
  void outputHasABound(String script) {
    var out = new ByteArrayOutputStream();
    try (Guest guest = open("gleaner.lua.max-output = 500", out)) {
      assertThatThrownBy(() -> guest.run(script))
          .isInstanceOfSatisfying(
              LuaLimitException.class, e -> assertThat(e.limit()).isEqualTo(Limit.OUTPUT))
          .hasMessage("output limit reached (500 bytes)");
    }
    assertThat(out.size()).isEqualTo(500);
  }

  @Test
  void finalizersAtTheEndHaveWhatIsLeft() {
    var out = new ByteArrayOutputStream();
    try (Log log = new Log("dev.gleaner.lua")) {
      try (Guest guest = open("gleaner.lua.max-output = 500", out)) {
        guest.run(
            "print(('x'):rep(400)) for i = 1, 20 do"
                + " _G[i] = setmetatable({}, {__gc = function() print('0123456789') end}) end");
      }
      assertThat(out.size()).isEqualTo(500);
      assertThat(log.messages())
          .hasSize(1)
          .first()
          .asString()
          .contains("11 finalizers of a guest did not run to their end", "output limit reached");
    }
  }

  /** Functions of the library cost no instruction of a script, and yet closing ends. */
  @ParameterizedTest
  @CsvSource({"refcount, 0", "marksweep, 1", "hybrid, 2", "semispace, 3", "framestack, 0"})
  @Tag("seeds")
  void finalizersAreChargedWhateverTheyAre(String collector, int first) {
    String settings = "gleaner { collector = " + collector + ", lua.close-time = 1h }";
    List<String> finalizers = List.of("coroutine.yield", "rawlen", "error", "print");
    for (int i = 0; i < finalizers.size(); i++) {
      String finalizer = finalizers.get(i);
      if (!Tier.has(i, first, finalizers.size())) {
        continue;
      }
      try (Log log = new Log("dev.gleaner.lua")) {
        long before;
        long died;
        Guest guest = open(settings, new ByteArrayOutputStream());
        try (guest) {
          guest.run(
              "local mt = {__gc = "
                  + finalizer
                  + "} for i = 1, 70000 do _G[i] = setmetatable({}, mt) end");
          before = guest.instructions();
          died = guest.statistics().finalizersRun(); // files of the library
        }
        assertThat(guest.instructions() - before).isBetween(900_000L, 1_000_000L);
        long ran = guest.statistics().finalizersRun() - died;
        assertThat(ran).isBetween(30_000L, 62_600L);
        assertThat(log.messages()).hasSize(1);
        String message = String.valueOf(log.messages().getFirst());
        assertThat(message).contains(" finalizers of a guest did not run to their end");
        long told = Long.parseLong(message.replaceAll("^.*: (\\d+) finalizers.*$", "$1"));
        assertThat(told - (70_001 - ran)).isBetween(0L, 3L); // the library's own are not told
      }
    }
  }

  /** Each kind of thing that a script can make the log tell of. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "coroutine.yield",
        "function() error(('x'):rep(100000)) end",
        "function() error({}) end",
        "function() local function f() return f() + 1 end f() end",
        "function() while true do end end",
        "function() coroutine.wrap(function() coroutine.yield() end)() error() end",
        "function() setmetatable({}, {__gc = function() error('x') end}) end",
        "function() string.rep('x', 1 << 40) end",
        "function() host() end",
      })
  void aScriptCannotFillTheLog(String finalizer) {
    StringWriter text = new StringWriter();
    try (Log lua = new Log("dev.gleaner.lua");
        Log heap = new Log()) {
      try (Guest guest = open("gleaner.memory.max = 16MiB", new ByteArrayOutputStream())) {
        guest.set(
            "host",
            call -> {
              throw new IllegalStateException("h".repeat(10_000));
            });
        guest.run(
            "local mt = {__gc = "
                + finalizer
                + "} for i = 1, 20000 do _G[i] = setmetatable({}, mt) end"
                + " for i = 1, 20000, 2 do _G[i] = nil end");
      }
      List.of(lua, heap)
          .forEach(log ->
              log.records.forEach(r -> {
                text.write(r.getMessage());
                if (r.getThrown() != null) {
                  r.getThrown().printStackTrace(new PrintWriter(text));
                }
              }));
    }
    assertThat(text.toString().length()).isLessThan(64 << 10);
  }
}
