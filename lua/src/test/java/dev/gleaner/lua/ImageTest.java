package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.spi.CollectFlags;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests that are saved as images, and opened. */
class ImageTest {
  private static final List<String> COLLECTORS =
      List.of("refcount", "marksweep", "hybrid", "semispace", "framestack");

  private static final InputStream NO_INPUT = InputStream.nullInputStream();
  private static final OutputStream NO_OUTPUT = OutputStream.nullOutputStream();

  static List<String> collectors() {
    return COLLECTORS;
  }

  private static Lua lua(String collector, String... settings) {
    String all = "gleaner.collector = " + collector + "\n" + String.join("\n", settings);
    return Lua.of(ConfigFactory.parseString(all));
  }

  private static Lua lua() {
    return lua("marksweep");
  }

  private static Image image(String script) {
    try (Guest guest = lua().open()) {
      var _ = guest.run(script);
      return guest.image();
    }
  }

  private static @Nullable Object first(Guest guest, String script) {
    return guest.run(script)[0];
  }

  /** What the guest that was saved still does, the one that is opened does, too. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aGuestGoesOnUnderAnyCollector(String collector) {
    String go =
        """
        local results = {}
        local function add(...)
          for _, v in ipairs{...} do results[#results + 1] = tostring(v) end
        end
        add(count(), count2(), shared(), co(10), co(11), m.q, s:upper(), it(), '40' + 2)
        add(math.random(1000000), math.random(1000000), tostring(t), next(w), #results)
        add(big, 1 / 0, -0.0, half, t[1], t.x, t[2^53], #t)
        add(coroutine.close(inside), closed, coroutine.status(dead), select('#', coroutine.close(dead)))
        for k, v in walk do add(k, v) end
        add(select(2, pcall(fails)), utf(), env(), stripped(5), later == nil)
        t = nil collectgarbage() collectgarbage() add(gone)
        add(collectgarbage('incremental'))
        return table.concat(results, ' ')
        """;
    Image image;
    @Nullable Object expected;
    try (Guest guest = lua(collector).openTrusted(NO_INPUT, NO_OUTPUT, NO_OUTPUT)) {
      var _ =
          guest.run(
              """
              math.randomseed(42)
              t = setmetatable({1, 2, x = 'y', [2^53] = 'far'}, {__gc = function() gone = 'gone' end})
              function count() n = (n or 0) + 1 return n end
              do
                local up = 5
                function count2() up = up + 1 return up end
                function shared() return up end
              end
              count()
              co = coroutine.wrap(function(a)
                for i = 1, 10 do
                  local ok, b = pcall(function() return coroutine.yield(a + i) end)
                  a = b
                end
              end)
              co(5)
              inside = coroutine.create(function()
                local x <close> = setmetatable({}, {__close = function() closed = 'closed' end})
                local y <close> = nil
                for k in pairs({1, 2, 3}) do
                  setmetatable({}, {__index = function() coroutine.yield(k) end}).z = nil
                  local _ = setmetatable({}, {__index = function() coroutine.yield(k) end}).z
                end
              end)
              assert(coroutine.resume(inside))
              dead = coroutine.create(function() local x <close> = setmetatable({}, {__close =
                function(_, e) closed = e end}) error({}) end)
              coroutine.resume(dead)
              walk = coroutine.wrap(function()
                for k, v in pairs({a = 1, b = 2, c = 3, 10, 20}) do coroutine.yield(k, v) end
              end)
              walk() walk()
              m = setmetatable({}, {__index = function(_, k) return k .. '!' end})
              w = setmetatable({[m] = 'm'}, {__mode = 'k'})
              w[{}] = 'lost'
              s = ('x'):rep(3)
              it = ('a b c'):gmatch('%a')
              it()
              big, half = math.maxinteger - 1, 0.5
              function fails() local n = nil; return n.field end
              do
                local f, c, p = utf8.codes('äö')
                function utf() p, c2 = f(c, p or 0) return p end
              end
              env = load('return v', 'chunk', 't', {v = 'in env'})
              stripped = load(string.dump(function(a) return a * 2 end, true))
              for i = 1, 300 do count2() end
              tostring(t) tostring(m)
              """);
      image = guest.image();
      expected = first(guest, go);
    }
    for (String other : COLLECTORS) {
      try (Guest guest =
          lua(other).openTrusted(image, new GuestBindings(), NO_INPUT, NO_OUTPUT, NO_OUTPUT)) {
        assertThat(guest.heap().inspect().verify()).isEmpty();
        assertThat(first(guest, go)).as(collector + " to " + other).isEqualTo(expected);
        assertThat(guest.heap().inspect().verify()).isEmpty();
      }
    }
  }

  @Test
  void imagesAreValues(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("a.img");
    image("x = 1").write(file);
    image("x = 2").write(file);
    Image image = Image.read(file);
    assertThat(Image.of(image.bytes()).bytes()).isEqualTo(Files.readAllBytes(file));
    assertThat(image)
        .hasToString(
            "image of a guest, %d elements, %d bytes".formatted(image.elements(), image.size()));
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<Object>> results = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int n = i;
        results.add(
            threads.submit(() -> {
              try (Guest guest = lua(COLLECTORS.get(n % 5)).open(image)) {
                return first(guest, "x = x + " + n + " return x");
              }
            }));
      }
      for (int i = 0; i < results.size(); i++) {
        assertThat(results.get(i).get()).isEqualTo(2L + i);
      }
    }
    try (var left = Files.list(dir)) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void theImageOfAnImageIsEqual() {
    Image image =
        image(
            """
            t = {} for i = 1, 50 do t[i] = {i, 'x' .. i} t['k' .. i] = load('return ' .. i) end
            w = setmetatable({[t] = t}, {__mode = 'k'})
            gc = setmetatable({}, {__gc = function() end})
            co = coroutine.wrap(function()
              local x <close> = gc and setmetatable({}, {__close = function() end})
              for k, v in pairs(t) do coroutine.yield(k) end
            end)
            co() co()
            tostring(t)
            """);
    String second = "";
    for (int i = 0; i < 15; i++) {
      try (Guest guest = lua(COLLECTORS.get(i % 5)).open(image)) {
        image = guest.image(); // no instruction has run in it
      }
      String bytes = HexFormat.of().formatHex(image.bytes());
      second = i == 0 ? bytes : second;
      assertThat(bytes).isEqualTo(second);
    }
  }

  // ---- what is the host's ----

  private static final HostRoutine PASS = call -> Answer.results(call.get(1));

  @Test
  void functionsOfTheHostComeBackByName() {
    Image image;
    try (Guest guest = lua().open()) {
      guest.set("twice", a -> new Object[] {2 * (Long) a[0]});
      guest.set("api", Map.of("log", (HostFunction) a -> new Object[] {"old"}));
      guest.define("pause", call -> Answer.yieldValues(PASS, call.get(1)));
      var _ = guest.run("co = coroutine.wrap(function() return pause(1), twice(4) end) co()");
      image = guest.image(new GuestBindings().object("pass", PASS));
    }
    GuestBindings bound =
        new GuestBindings()
            .object("pass", PASS)
            .function("twice", a -> new Object[] {-2 * (Long) a[0]})
            .function("api.log", a -> new Object[] {"new"})
            .routine("pause", call -> Answer.results("other"));
    try (Guest guest = lua().open(image, bound)) {
      assertThat(guest.run("return twice(3), api.log(), pause()"))
          .containsExactly(-6L, "new", "other");
      assertThat(guest.run("return co('back')")).containsExactly("back", -8L);
      assertThat(guest.run("return pcall(twice, 'x')").length).isEqualTo(2);
      Image again = guest.image();
      assertThatThrownBy(() -> lua().open(again, new GuestBindings().function("twice", a -> a)))
          .isInstanceOf(ImageException.class)
          .hasMessage(
              "the image needs functions or objects that this host does not have: api.log, pause");
    }
  }

  @Test
  void functionsThatTheNewGuestDropsAreReleased() {
    GuestBindings bound = new GuestBindings();
    Image image;
    try (Guest guest = lua().open()) {
      for (int i = 0; i < 100; i++) {
        guest.set("f" + i, a -> a);
        bound.function("f" + i, a -> a);
      }
      image = guest.image();
    }
    try (Guest guest = lua().open(image, bound)) {
      long before = guest.statistics().externalBytes();
      var _ = guest.run("for i = 0, 99 do _G['f' .. i] = nil end collectgarbage()");
      assertThat(before - guest.statistics().externalBytes()).isGreaterThan(100 * 200);
      guest.set("g", a -> new Object[] {"g"});
      assertThat(guest.run("return g(), f1")).containsExactly("g", null);
    }
  }

  /** Whoever keeps finalizers from running may save a heap in which some are due. */
  @ParameterizedTest
  @ValueSource(strings = {"marksweep", "semispace", "framestack"}) // counting runs them at the drop
  void whatIsDueInAnImageIsCalledInTheNewGuest(String collector) {
    Image image;
    try (Guest guest = lua(collector).open()) {
      var _ = guest.run("x = setmetatable({}, {__gc = function() gone = (gone or 0) + 1 end})");
      int _ = guest.heap().setBaseFlags(CollectFlags.NO_FINALIZERS);
      var _ = guest.run("x = nil collectgarbage()");
      assertThat(guest.get("gone")).isNull();
      image = guest.image();
    }
    try (Guest guest = lua(collector, "gleaner.torture.gc = every-allocation").open(image)) {
      var _ = guest.run("collectgarbage()");
      assertThat(first(guest, "return gone")).isEqualTo(1L);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void finalizersThatSetThemselvesAgainGoOnInTheNewGuest(String collector) {
    Image image;
    try (Guest guest = lua(collector).open()) {
      var _ = guest.run("n = 0 m = {__gc = function(o) n = n + 1 setmetatable(o, m) end}");
      var _ = guest.run("setmetatable({}, m)");
      image = guest.image();
    }
    try (Guest guest = lua(collector).open(image)) {
      var _ = guest.run("local before = n repeat collectgarbage() until n > before + 2");
      assertThat(guest.image().elements()).isPositive();
    }
  }

  @Test
  void functionsWithoutANameOfTheirOwnAreRefused() {
    try (Guest guest = lua().open()) {
      guest.set("take", a -> new Object[] {(HostFunction) b -> b});
      var _ = guest.run("kept = {deep = {take()}}");
      assertThatThrownBy(guest::image)
          .isInstanceOf(ImageException.class)
          .hasMessageContaining("function of the host without a name")
          .hasMessageContaining("kept")
          .hasMessageContaining("deep");
      assertThat(first(guest, "kept = nil return 'on'")).isEqualTo("on");
      guest.set("f", a -> a);
      var _ = guest.run("g = f");
      guest.set("f", a -> a);
      assertThatThrownBy(guest::image)
          .isInstanceOf(ImageException.class)
          .hasMessageContaining("function of the host f, a name that another one has");
      var _ = guest.run("g = nil take = nil");
      assertThat(guest.image().elements()).isPositive();
    }
  }

  private record Point(int x, int y) {}

  @Test
  void objectsOfABoundTypeMayHaveNoState() {
    GuestBindings none = new GuestBindings().type("point", Point.class, _ -> null, _ -> null, null);
    GuestBindings some =
        new GuestBindings().type("point", Point.class, _ -> new byte[0], _ -> null, null);
    Image image;
    try (Guest guest = lua().open()) {
      guest.set("p", guest.newUserdata(new Point(1, 2), null, null));
      assertThatThrownBy(() -> guest.image(none))
          .isInstanceOf(ImageException.class)
          .hasMessageContaining("userdata of " + Point.class.getName());
      image = guest.image(some);
    }
    assertThatThrownBy(() -> lua().open(image, some))
        .isInstanceOf(ImageException.class)
        .hasMessage("no object was made of a saved state of type point");
  }

  @Test
  void objectsOfTheHostAreNamedOrSavedByTheirState() {
    Object database = new Object();
    List<Object> released = new ArrayList<>();
    GuestBindings bound =
        new GuestBindings()
            .object("db", database, released::add)
            .type(
                "point",
                Point.class,
                p -> new byte[] {(byte) p.x, (byte) p.y},
                b -> new Point(b[0], b[1]),
                released::add);
    Image image;
    try (Guest guest = lua().open()) {
      LuaValue meta = (LuaValue) first(guest, "return {__index = {kind = 'db'}}");
      guest.set("db", guest.newUserdata(database, meta, null));
      guest.set("p", guest.newUserdata(new Point(1, 2), null, null));
      guest.set("q", guest.newUserdata(new Point(1, 2), null, null));
      assertThatThrownBy(guest::image)
          .isInstanceOf(ImageException.class)
          .hasMessageContaining("userdata of java.lang.Object")
          .hasMessageContaining("userdata of " + Point.class.getName());
      image = guest.image(bound);
    }
    assertThat(released).isEmpty();
    try (Guest guest = lua("semispace").open(image, bound)) {
      assertThat(guest.get("db")).isSameAs(database);
      assertThat(guest.get("p")).isEqualTo(new Point(1, 2)).isNotSameAs(guest.get("q"));
      assertThat(guest.run("return db.kind, p == q, p == p")).containsExactly("db", false, true);
      var _ = guest.run("p = nil collectgarbage()");
      assertThat(released).containsExactly(new Point(1, 2));
    }
    assertThat(released).hasSize(3).contains(database);
    released.clear();
    assertThatThrownBy(() -> lua().open(image, new GuestBindings().object("db", database)))
        .isInstanceOf(ImageException.class)
        .hasMessageEndingWith("does not have: point");
    assertThat(released).isEmpty();
  }

  /**
   * What was made for a guest that does not come to be is released; what both sides have is not.
   */
  @ParameterizedTest
  @MethodSource("collectors")
  void objectsOfAnImageThatCannotBeOpenedAreReleased(String collector) {
    List<Object> made = new ArrayList<>();
    List<Object> released = new ArrayList<>();
    Object database = new Object();
    Function<byte[], Point> read =
        b -> {
          if (made.size() == 1 && b[0] == 3) {
            throw new IllegalStateException("no such point");
          }
          Point point = new Point(b[0], 0);
          made.add(point);
          return point;
        };
    GuestBindings bound =
        new GuestBindings()
            .type("point", Point.class, p -> new byte[] {(byte) p.x}, read, released::add)
            .object("db", database, released::add);
    Image image;
    try (Guest guest = lua().open()) {
      guest.set("p", guest.newUserdata(new Point(1, 2), null, null));
      guest.set("q", guest.newUserdata(new Point(3, 4), null, null));
      guest.set("db", guest.newUserdata(database, null, null));
      guest.set("f", a -> a);
      var _ = guest.run("t = {} for i = 1, 2000 do t[i] = {i} end");
      image = guest.image(bound);
    }
    assertThatThrownBy(() -> lua(collector).open(image, bound)).hasMessage("no such point");
    assertThat(released).isEqualTo(made).hasSize(1);
    assertThatThrownBy(() -> lua(collector).open(image, bound)).hasMessageEndingWith("have: f");
    assertThat(released).isEqualTo(made).hasSize(3);
    GuestBindings whole = bound.function("f", a -> a);
    boolean opened = false;
    for (long limit = 128 << 10; !opened; limit += limit >> 3) {
      try (Guest guest = lua(collector, "gleaner.memory.max = " + limit).open(image, whole)) {
        opened = guest.get("p") != null;
        assertThat(released).hasSize(made.size() - 2).doesNotContain(database);
      } catch (HeapExhaustedException e) {
        assertThat(released).isEqualTo(made);
      }
    }
    assertThat(made).hasSizeGreaterThan(7);
    assertThat(released).hasSize(made.size() + 1).contains(database);
  }

  @Test
  void aRoutineThatWaitsIsNamedOrRefused() {
    HostRoutine next = call -> Answer.results("after", call.get(1));
    Image image;
    try (Guest guest = lua().open()) {
      guest.define("wait", call -> Answer.yieldValues(next, "waiting"));
      var _ = guest.run("co = coroutine.wrap(function() return wait() end) co()");
      assertThatThrownBy(guest::image)
          .isInstanceOf(ImageException.class)
          .hasMessageContaining("waiting routine of the host");
      image = guest.image(new GuestBindings().object("next", next));
    }
    GuestBindings bound =
        new GuestBindings().object("next", next).routine("wait", call -> Answer.results());
    try (Guest guest = lua().open(image, bound)) {
      assertThat(guest.run("return co(7)")).containsExactly("after", 7L);
    }
  }

  @Test
  void aGuestWhoseScriptRunsIsNotSaved() {
    try (Guest guest = lua().open()) {
      guest.set(
          "save",
          a -> {
            guest.image();
            return a;
          });
      assertThatThrownBy(() -> guest.run("save()"))
          .hasMessageContaining("a guest cannot be saved while a script of it runs");
    }
  }

  @Test
  void libraryFunctionsThatTheNewGuestMayNotHaveAreTold() {
    Image image;
    try (Guest guest = lua().openTrusted(NO_INPUT, NO_OUTPUT, NO_OUTPUT)) {
      image = guest.image();
    }
    assertThatThrownBy(() -> lua().open(image))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("io.open")
        .hasMessageContaining("os.execute")
        .hasMessageContaining("debug.sethook");
  }

  // ---- ends ----

  @Test
  void parkingCallsNoFinalizer() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Image image;
    try (Guest guest = lua().open(out)) {
      var _ =
          guest.run(
              "x = setmetatable({}, {__gc = function() print('gc') end})"
                  + " setmetatable({}, {__gc = function() print('due') end})");
      image = guest.park();
      assertThatThrownBy(() -> guest.run("")).isInstanceOf(RuntimeException.class);
    }
    try (Guest guest = lua("hybrid").open(image, new GuestBindings(), out)) {
      assertThat(guest.get("x")).isNotNull();
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("due\ngc\n");
  }

  @Test
  void aGuestThatCannotBeParkedStaysOpen() {
    try (Guest guest = lua().open()) {
      guest.set("p", guest.newUserdata(new Point(1, 2), null, null));
      assertThatThrownBy(guest::park).isInstanceOf(ImageException.class);
      assertThat(first(guest, "return 1")).isEqualTo(1L);
    }
  }

  @Test
  void aChunkIsParkedAtItsYields() {
    byte[] chunk =
        "local n = ... while n < 3 do n = n + coroutine.yield(n) end return 'end'"
            .getBytes(StandardCharsets.UTF_8);
    Guest guest = lua().open();
    assertThat(guest.isParked()).isFalse();
    assertThatThrownBy(guest::wake).isInstanceOf(IllegalStateException.class);
    assertThat(guest.start(chunk, "=job", 1)).containsExactly(1L);
    for (String collector : COLLECTORS) {
      assertThat(guest.isParked()).isTrue();
      guest = lua(collector).open(guest.park());
      assertThat(guest.wake(0)).containsExactly(1L);
    }
    assertThat(guest.wake(5)).containsExactly("end");
    assertThat(guest.isParked()).isFalse();
    guest = lua().open(guest.park());
    assertThat(guest.isParked()).isFalse();
    guest.close();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void tooSmallALimitRefusesAndTheRestIsExact(String collector) {
    Image image = image("t = {} for i = 1, 20000 do t[i] = {i} end");
    assertThatThrownBy(() -> lua(collector, "gleaner.memory.max = 512KiB").open(image))
        .isInstanceOf(HeapExhaustedException.class);
    long used;
    try (Guest guest = lua(collector).open(image)) {
      used = guest.statistics().usedBytes();
    }
    try (Guest guest = lua(collector).open(image(""))) {
      assertThat(guest.statistics().usedBytes()).isLessThan(used / 10);
      for (int i = 0; i < 50; i++) {
        var _ = guest.run("local f = load('return " + i + "') f() f = nil collectgarbage()");
      }
      long before = guest.statistics().externalBytes();
      for (int i = 0; i < 50; i++) {
        var _ = guest.run("local f = load('return " + i + "') f() f = nil collectgarbage()");
      }
      assertThat(guest.statistics().externalBytes()).isEqualTo(before);
    }
  }

  /** Where memory was short the table of strings could not grow. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aFullGuestIsOpenedUnderItsOwnLimit(String collector) {
    Lua lua = lua(collector, "gleaner.memory.max = 600KiB");
    for (String fill :
        List.of("t[i] = {i, tostring(i)}", "t['k' .. i] = i", "t[i] = function() return i end")) {
      Image image;
      try (Guest guest = lua.open()) {
        assertThatThrownBy(() -> guest.run("t = {} for i = 1, 1e9 do " + fill + " end"))
            .isInstanceOf(LuaMemoryException.class);
        image = guest.image();
      }
      try (Guest guest = lua.open(image)) {
        assertThat(guest.get("t")).isNotNull();
      }
    }
  }

  @Test
  void instructionsCountOnIfWanted() {
    Image image = image("for i = 1, 10000 do end");
    try (Guest guest = lua().open(image)) {
      assertThat(guest.instructions()).isLessThan(1000);
    }
    Lua limited = lua("marksweep", "gleaner.lua.max-instructions = 11000");
    try (Guest guest = limited.open(image, new GuestBindings().countOn())) {
      assertThat(guest.instructions()).isGreaterThan(10000);
      assertThatThrownBy(() -> guest.run("for i = 1, 5000 do end"))
          .isInstanceOf(LuaLimitException.class);
    }
  }

  @Test
  void anImageOfAHeapIsNoImageOfAGuest() {
    var heaps = dev.gleaner.Gleaner.factory(ConfigFactory.load());
    try (var heap = heaps.open()) {
      Image image = new Image(heap.image(new dev.gleaner.heap.NamedObjects()));
      assertThatThrownBy(() -> lua().open(image))
          .isInstanceOf(ImageException.class)
          .hasMessage("the image is none of a Lua guest");
    }
  }
}
