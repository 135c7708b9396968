package dev.gleaner.lua.memory;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Answer;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.Oracle;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts that make Java's heap grow, one guest each, and measures what the guest keeps there.
 *
 * <p>A script whose name begins with "trusted" runs in a guest with all libraries; one whose name
 * begins with "host" has functions of the host.
 */
public final class Attacks {
  /** A script with its name. */
  public record Attack(String name, String script) {
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * What one guest kept.
   *
   * @param live bytes on Java's heap that go when the guest is closed
   * @param left bytes that do not go
   * @param charged bytes for them, at the time
   * @param classes that most of the bytes are of
   * @param end how the script ended
   */
  record Kept(long live, long left, long charged, String classes, String end) {}

  private Attacks() {}

  public static List<Attack> all() {
    List<Attack> attacks = new ArrayList<>();
    String text = "\n" + Oracle.resource(Attacks.class, "/memory/attacks.txt");
    for (String part : text.split("\n--- ", -1)) {
      int end = part.indexOf('\n');
      if (end > 0) {
        attacks.add(new Attack(part.substring(0, end), part.substring(end + 1)));
      }
    }
    return attacks;
  }

  static Lua lua(String collector, long limit, long instructions) {
    return Lua.of(
        ConfigFactory.parseString(
                """
                gleaner { collector = %s, memory.max = %d
                  lua { max-instructions = %d, max-cpu-time = 1s, compile-after = 0 } }
                """
                    .formatted(collector, limit, instructions))
            .withFallback(ConfigFactory.load()));
  }

  static Guest open(Lua lua, Attack attack) {
    OutputStream nowhere = OutputStream.nullOutputStream();
    boolean trusted = attack.name.startsWith("trusted");
    Guest guest =
        trusted
            ? lua.openTrusted(InputStream.nullInputStream(), nowhere, nowhere)
            : lua.open(nowhere);
    if (attack.name.startsWith("host")) {
      HostFunction host = arguments -> arguments;
      guest.set("host", host);
      HostFunction call =
          arguments ->
              ((LuaValue) arguments[0]).call(Arrays.copyOfRange(arguments, 1, arguments.length));
      guest.set("call", call);
      LuaValue metatable = guest.newTable();
      guest.setMetatable(Object.class, metatable, null);
      Object object = new Object();
      guest.define("object", _ -> Answer.results(object));
      guest.define("keep", _ -> Answer.results());
    }
    return guest;
  }

  static String run(Guest guest, Attack attack) {
    try {
      @Nullable Object[] _ = guest.run(attack.script.getBytes(StandardCharsets.UTF_8), "=attack");
      return "done";
    } catch (GuestException e) {
      String message = String.valueOf(e.getMessage());
      return message.substring(0, Math.min(50, message.length())).replaceAll("\\s+", " ");
    }
  }

  /** Measures once more where bytes are left: the JVM loads its zones and its log but once. */
  static Kept measureTwice(Lua lua, Attack attack) {
    Kept kept = measure(lua, attack);
    return kept.left < 1 << 15 ? kept : measure(lua, attack);
  }

  private static Kept measure(Lua lua, Attack attack) {
    Map<String, Long> before = JavaHeap.histogram();
    long start = JavaHeap.live();
    Guest guest = open(lua, attack);
    String end = run(guest, attack);
    long with = JavaHeap.live();
    long charged = guest.statistics().externalBytes();
    String classes = JavaHeap.growth(before, JavaHeap.histogram(), 6);
    guest.close();
    guest = null;
    long closed = JavaHeap.live();
    return new Kept(with - closed, closed - start, charged, classes, end);
  }

  /**
   * Prints what a part of the attacks takes, by tabs. Arguments: the limit; collectors after
   *
   * <ul>
   *   <li>"ten": how many attacks ended that ten guests at once run
   *   <li>"peaks": for each attack that compiles, the most bytes at a time, its name, its end
   *   <li>"sources": for each attack that compiles, its end and its name
   *   <li>"thousand": what a thousand guests left
   *   <li>or a part of names: for each such attack bytes kept, charged and left, its name, its end,
   *       classes
   * </ul>
   */
  public static void main(String... arguments) throws InterruptedException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    long limit = Long.parseLong(arguments[0]);
    for (String collector : List.of(arguments).subList(2, arguments.length)) {
      Lua lua = lua(collector, limit, arguments[1].equals("thousand") ? 500_000 : 10_000_000);
      switch (arguments[1]) {
        case "ten" -> out.println("ended\t" + ten(lua));
        case "peaks" -> peaks(lua, out);
        case "sources" -> sources(lua, out);
        case "thousand" -> out.println(thousand(lua) + "\t" + collector);
        default -> kept(lua, arguments[1], out);
      }
    }
  }

  private static void kept(Lua lua, String part, PrintStream out) {
    Kept _ = measure(lua, all().get(0));
    for (Attack attack : all()) {
      if (attack.name.contains(part)) {
        Kept kept = measureTwice(lua, attack);
        out.printf(
            "%d\t%d\t%d\t%s\t%s\t%s%n",
            kept.live, kept.charged, kept.left, attack.name, kept.end, kept.classes);
      }
    }
  }

  private static void peaks(Lua lua, PrintStream out) {
    Kept _ = measure(lua, all().get(0));
    for (Attack attack : sources()) {
      long before = JavaHeap.used();
      try (Guest guest = open(lua, attack)) {
        JavaHeap.Peak peak = new JavaHeap.Peak();
        String end = run(guest, attack);
        out.println(peak.end() - before + "\t" + attack.name + "\t" + end);
      }
    }
  }

  private static void sources(Lua lua, PrintStream out) {
    for (Attack attack : sources()) {
      try (Guest guest = open(lua, attack)) {
        out.println(run(guest, attack) + "\t" + attack.name);
      }
    }
  }

  /** Those that compile. */
  private static List<Attack> sources() {
    return all().stream().filter(attack -> attack.script.contains("load(")).toList();
  }

  /**
   * All attacks three times, after which all code has run that runs, then a thousand guests;
   * returns the bytes that these left.
   */
  private static long thousand(Lua lua) {
    List<Attack> attacks = all();
    long before = 0;
    int first = 3 * attacks.size();
    for (int i = 0; i < 1000 + first; i++) {
      if (i == first) {
        before = JavaHeap.used();
      }
      Attack attack = attacks.get(i % attacks.size());
      try (Guest guest = open(lua, attack)) {
        String _ = run(guest, attack);
      }
    }
    return JavaHeap.used() - before;
  }

  /** Ten threads take attack after attack; returns how many ended as guests end. */
  private static int ten(Lua lua) throws InterruptedException {
    List<Attack> attacks = all();
    AtomicInteger next = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int n; (n = next.getAndIncrement()) < attacks.size(); ) {
                  try (Guest guest = open(lua, attacks.get(n))) {
                    String _ = run(guest, attacks.get(n));
                  }
                  ended.incrementAndGet();
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return ended.get();
  }
}
