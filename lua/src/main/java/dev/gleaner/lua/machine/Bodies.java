package dev.gleaner.lua.machine;

import dev.gleaner.lua.CompiledFunctions;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The bodies that guests share. Functions of the same code have the same body, so the JVM compiles
 * that body once. The number of bodies is bounded; bodies that run at the moment may come on top.
 *
 * <p>A body counts for one of its guests: for the guest with the fewest bodies when that guest
 * joined. At the bound, a new body replaces another one. A body without functions of an open guest
 * goes first. Otherwise the guest with the most bodies loses the one that has not begun for long.
 * The asking guest itself loses one unless another guest has at least two more. So a guest that
 * makes bodies for ever takes none from a guest with fewer.
 *
 * <p>A function that loses its body is interpreted. When the function is hot again, it is compiled
 * again.
 *
 * <p>Guests wait for each other only during a look into a table: bodies are made outside of the
 * lock.
 */
public final class Bodies {
  /** The parts of a function that determine its body. */
  private static final class Key {
    private final int[] code;
    private final long[] numbers;
    private final int frameSize;
    private final boolean computesInSlots;
    private final boolean inlines;

    Key(Code function, boolean inlines) {
      this.code = function.code;
      this.numbers = function.numbers;
      this.frameSize = function.frameSize;
      this.computesInSlots = function.computesInSlots;
      this.inlines = inlines;
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Key k
          && frameSize == k.frameSize
          && computesInSlots == k.computesInSlots
          && inlines == k.inlines
          && Arrays.equals(code, k.code)
          && Arrays.equals(numbers, k.numbers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(code) * 31 + Arrays.hashCode(numbers);
    }
  }

  /** The bodies that count for a guest. */
  static final class Share {
    private int bodies;
    private long bytes;
    private long made;
    private long dropped;
  }

  /** A body, with its functions and the shares of their guests. */
  private static final class Shared {
    final Key key;
    final Body body;
    final Map<Code, Share> users = new WeakHashMap<>();
    @Nullable Share owner;

    Shared(Key key, Body body) {
      this.key = key;
      this.body = body;
    }

    void join(Code function, Share share) {
      users.put(function, share);
      function.body = body;
      if (owner == null || share.bodies < owner.bodies) {
        countFor(share);
      }
    }

    void countFor(@Nullable Share share) {
      if (owner != null) {
        owner.bodies--;
        owner.bytes -= body.bytes;
      }
      owner = share;
      if (share != null) {
        share.bodies++;
        share.bytes += body.bytes;
      }
    }
  }

  private final int most;

  /** The bodies by the time of the last request, the latest last. */
  private final Map<Key, Shared> bodies = new LinkedHashMap<>(16, 0.75f, true);

  /** The sums over all guests, open or closed. */
  private final Share all = new Share();

  /**
   * Makes the table for the guests of a factory.
   *
   * @param most the most bodies at the same time, at least 1
   */
  public Bodies(int most) {
    this.most = most;
  }

  /** {@return the figures of all guests} */
  public CompiledFunctions figures() {
    return figures(all);
  }

  /** Returns the figures of one guest. */
  synchronized CompiledFunctions figures(Share share) {
    return new CompiledFunctions(share.bodies, share.bytes, share.made, share.dropped);
  }

  /** Gives a function a body. Returns false if the function is too large. */
  boolean give(Code function, Share share, Function<Code, @Nullable Body> compiler) {
    Key key = new Key(function, true);
    if (join(key, function, share)) { // another guest may have earned that
      function.inlines = true;
      return true;
    }
    if (!function.inlines) {
      key = new Key(function, false);
      if (join(key, function, share)) {
        return true;
      }
    }
    Body body = compiler.apply(function);
    if (body != null) {
      add(new Shared(key, body), function, share);
    }
    return body != null;
  }

  private synchronized boolean join(Key key, Code function, Share share) {
    Shared known = bodies.get(key);
    if (known != null) {
      known.join(function, share);
    }
    return known != null;
  }

  private synchronized void add(Shared made, Code function, Share share) {
    share.made++;
    all.made++;
    if (join(made.key, function, share)) {
      share.dropped++; // another guest was faster
      all.dropped++;
      return;
    }
    if (bodies.size() >= most) {
      evict(share);
    }
    bodies.put(made.key, made);
    all.bodies++;
    all.bytes += made.body.bytes;
    made.join(function, share);
  }

  /** Removes a function that is gone from its body. */
  synchronized void leave(Code function, Share share) {
    Shared known = bodies.get(new Key(function, function.inlines));
    if (known != null && known.users.remove(function) != null && share.equals(known.owner)) {
      Iterator<Share> others = known.users.values().iterator();
      known.countFor(others.hasNext() ? others.next() : null);
    }
    function.body = null;
  }

  private void evict(Share asking) {
    Shared victim = null;
    Share largest = asking;
    // With a difference of one, the two guests would take bodies from each other for ever.
    int least = asking.bodies == 0 ? 0 : asking.bodies + 1;
    for (Shared s : bodies.values()) {
      if (s.users.isEmpty()) {
        victim = s;
        break;
      }
      if (s.owner != null && s.owner.bodies > least) {
        largest = s.owner;
        least = largest.bodies;
      }
    }
    Shared next = victim == null ? oldest(largest) : victim;
    Shared _ = bodies.remove(next.key);
    all.bodies--;
    all.bytes -= next.body.bytes;
    all.dropped++;
    if (next.owner != null) {
      next.owner.dropped++;
    }
    next.countFor(null);
    // The threads of other guests see this soon. A running body runs to its end.
    next.users.forEach((function, _) -> function.body = null);
  }

  /** Returns a body of a guest that has not begun for long. */
  private Shared oldest(Share of) {
    @Nullable Shared first = null;
    for (Shared s : bodies.values()) {
      if (of.equals(s.owner)) {
        if (!s.body.used) {
          return s;
        }
        s.body.used = false;
        first = first == null ? s : first;
      }
    }
    return Objects.requireNonNull(first);
  }
}
