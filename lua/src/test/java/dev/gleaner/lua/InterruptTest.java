package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lua.LuaLimitException.Limit;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interrupts from other threads: they end a call, wake functions of the host, and leave nothing.
 */
@Timeout(300)
class InterruptTest {
  private static final long LONG = 100_000;

  private static Guest open(String settings) {
    Guest guest =
        Lua.of(
                ConfigFactory.parseString(settings + "\ngleaner.lua.grace-time = 1h")
                    .withFallback(ConfigFactory.load()))
            .open();
    guest.run("function loop() while true do end end");
    return guest;
  }

  /** A function of the host that tells that it has begun, and sleeps. */
  private static HostFunction sleeper(CountDownLatch begun) {
    return a -> {
      begun.countDown();
      Thread.sleep(TimeUnit.SECONDS.toMillis(LONG));
      return new Object[0];
    };
  }

  /** Has another thread do something once the latch is open. */
  private static Thread later(CountDownLatch begun, Runnable work) {
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                begun.await();
                work.run();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    return thread;
  }

  private static LuaLimitException interrupted(Runnable work) {
    Throwable e = catchThrowable(work::run);
    assertThat(e).isInstanceOf(LuaLimitException.class).hasMessage("interrupted");
    LuaLimitException limit = (LuaLimitException) e;
    assertThat(limit.limit()).isEqualTo(Limit.INTERRUPT);
    assertThat(limit.ofCall()).isTrue();
    return limit;
  }

  private static void goesOn(Guest guest) {
    assertThat(guest.run("return 6 * 7")).containsExactly(42L);
    assertThat(guest.heap().inspect().verify()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void interruptEndsTheCallThatRuns(String collector) throws InterruptedException {
    try (Guest guest = open("gleaner.collector = " + collector)) {
      CountDownLatch begun = new CountDownLatch(1);
      guest.set(
          "begin",
          a -> {
            begun.countDown();
            return new Object[0];
          });
      Thread other = later(begun, guest::interrupt);
      interrupted(() -> guest.run("begin() pcall(loop) while true do pcall(loop) end"));
      other.join();
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      goesOn(guest);
    }
  }

  /**
   * One request for memory makes up to ten collections; an interrupt ends it after the next one.
   */
  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void interruptEndsTheCollectionsOfARequest(String collector) {
    String settings = "gleaner { collector = " + collector + ", memory.max = 2MiB }";
    for (String script :
        new String[] {"return ('x'):rep(4 << 20)", "pcall(string.rep, 'x', 4 << 20) loop()"}) {
      try (Guest guest = open(settings)) {
        AtomicInteger refused = new AtomicInteger();
        guest
            .heap()
            .addListener(
                new HeapListener() {
                  @Override
                  public void collectionFinished(CollectionEvent event) {
                    if (event.cause() != Cause.VOLUNTARY && refused.incrementAndGet() == 3) {
                      guest.interrupt();
                    }
                  }
                });
        interrupted(() -> guest.run(script));
        assertThat(refused.get()).isEqualTo(3);
        goesOn(guest);
      }
    }
  }

  @Test
  void interruptWakesFunctionsOfTheHost() throws InterruptedException {
    try (Guest guest = open("gleaner.lua.thread-interrupt = false")) {
      for (String script :
          new String[] {
            "sleep()",
            "pcall(sleep) while true do pcall(sleep) end",
            "coroutine.wrap(function() pcall(sleep) escaped = true end)()",
            "table.sort({2, 1}, function() sleep() end)",
            "local c <close> = setmetatable({}, {__close = function() closed = true end}) sleep()",
            "outer(function() pcall(sleep) end)",
          }) {
        CountDownLatch begun = new CountDownLatch(1);
        guest.set("sleep", sleeper(begun));
        guest.set("outer", a -> ((LuaValue) Objects.requireNonNull(a[0])).call());
        Thread other = later(begun, guest::interrupt);
        LuaLimitException e = interrupted(() -> guest.run(script));
        other.join();
        assertThat(e).as(script).hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).as(script).isFalse();
        goesOn(guest);
      }
      assertThat(guest.get("escaped")).isNull();
      assertThat(guest.get("closed")).isEqualTo(true);
    }
  }

  @Test
  void channelsAreWoken() throws InterruptedException, IOException {
    try (Guest guest = open("")) {
      Pipe pipe = Pipe.open();
      CountDownLatch begun = new CountDownLatch(1);
      guest.set(
          "read",
          a -> {
            begun.countDown();
            try {
              return new Object[] {pipe.source().read(ByteBuffer.allocate(1))};
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      Thread other = later(begun, guest::interrupt);
      interrupted(() -> guest.run("pcall(read)"));
      other.join();
      assertThat(Thread.interrupted()).isFalse();
      goesOn(guest);
      pipe.sink().close();
    }
  }

  @Test
  void futureIsCancelled() throws Exception {
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      Guest guest = executor.submit(() -> open("")).get();
      for (String script : new String[] {"begin() while true do pcall(loop) end", "sleep()"}) {
        CountDownLatch begun = new CountDownLatch(1);
        executor
            .submit(() -> {
              guest.set("sleep", sleeper(begun));
              guest.set(
                  "begin",
                  a -> {
                    begun.countDown();
                    return new Object[0];
                  });
            })
            .get();
        AtomicReference<@Nullable Throwable> ended = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<Boolean> flag = new AtomicReference<>(false);
        Future<?> future =
            executor.submit(() -> {
              ended.set(catchThrowable(() -> guest.run(script)));
              flag.set(Thread.currentThread().isInterrupted());
              done.countDown();
            });
        begun.await();
        assertThat(future.cancel(true)).isTrue();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        done.await();
        assertThat(ended.get()).isInstanceOf(LuaLimitException.class).hasMessage("interrupted");
        assertThat(flag.get()).isTrue();
        executor.submit(() -> goesOn(guest)).get();
      }
      executor.submit(guest::close).get();
    }
  }

  @Test
  void virtualThreadIsInterrupted() throws InterruptedException {
    AtomicReference<@Nullable Throwable> ended = new AtomicReference<>();
    CountDownLatch begun = new CountDownLatch(1);
    Thread thread =
        Thread.ofVirtual()
            .start(() -> {
              try (Guest guest = open("")) {
                guest.set("sleep", sleeper(begun));
                ended.set(catchThrowable(() -> guest.run("pcall(sleep) loop()")));
                boolean _ = Thread.interrupted();
                goesOn(guest);
              } catch (Throwable e) {
                ended.set(e);
              }
            });
    begun.await();
    thread.interrupt();
    thread.join();
    assertThat(ended.get()).isInstanceOf(LuaLimitException.class).hasMessage("interrupted");
  }

  @Test
  void flagOfTheThreadIsLookedAtOrNot() {
    try (Guest guest = open("")) {
      Thread.currentThread().interrupt();
      interrupted(() -> guest.run("return 1"));
      assertThat(Thread.interrupted()).isTrue();
      goesOn(guest);
      guest.set(
          "stop",
          a -> {
            Thread.currentThread().interrupt();
            return new Object[] {1};
          });
      interrupted(() -> guest.run("stop() escaped = true"));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(guest.get("escaped")).isNull();
    }
    try (Guest guest = open("gleaner.lua.thread-interrupt = false")) {
      Thread.currentThread().interrupt();
      goesOn(guest);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      guest.set("sleep", sleeper(new CountDownLatch(1)));
      assertThatThrownBy(() -> guest.run("sleep()"))
          .isInstanceOf(LuaException.class)
          .hasCauseInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      goesOn(guest);
    }
  }

  @Test
  void finalizersAtCloseRunInAnInterruptedThread() {
    AtomicInteger ran = new AtomicInteger();
    try (Guest guest = open("gleaner.lua.close-time = 1h")) {
      guest.set("ran", a -> new Object[] {ran.incrementAndGet()});
      guest.run("x = setmetatable({}, {__gc = function() for i = 1, 1e4 do end ran() end})");
      Thread.currentThread().interrupt();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(ran).hasValue(1);
  }

  @Test
  void interruptBeforeACallEndsTheNextOneUnlessItIsCleared() {
    try (Guest guest = open("")) {
      assertThat(guest.clearInterrupt()).isFalse();
      guest.interrupt();
      interrupted(() -> guest.run("return 1"));
      goesOn(guest);
      guest.interrupt();
      assertThat(guest.clearInterrupt()).isTrue();
      goesOn(guest);
    }
  }

  @Test
  void secondInterruptEndsTheGrace() {
    try (Guest guest = open("")) {
      guest.set(
          "stop",
          a -> {
            guest.interrupt();
            return new Object[0];
          });
      long before = guest.instructions();
      interrupted(() ->
          guest.run(
              "local c <close> = setmetatable({}, {__close = function() stop() loop() end})"
                  + " stop()"));
      assertThat(guest.instructions() - before).isLessThan(1000);
      goesOn(guest);
    }
  }

  @Test
  void noInterruptIsLeftBehind() throws InterruptedException {
    try (Guest guest = open("gleaner.lua.thread-interrupt = false")) {
      guest.set(
          "host",
          a -> {
            Thread.onSpinWait();
            return a;
          });
      Script script = Lua.prepare("for i = 1, 3 do host(i) end");
      AtomicReference<@Nullable Boolean> stop = new AtomicReference<>();
      Thread other =
          Thread.ofPlatform()
              .start(() -> {
                while (stop.get() == null) {
                  guest.interrupt();
                }
              });
      int ended = 0;
      for (int i = 0; i < 2000; i++) {
        try {
          guest.run(script);
        } catch (LuaLimitException e) {
          ended++;
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
      }
      stop.set(true);
      other.join();
      assertThat(ended).isPositive();
      boolean _ = guest.clearInterrupt();
      goesOn(guest);
    }
  }
}
