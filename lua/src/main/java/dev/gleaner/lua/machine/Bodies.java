package dev.gleaner.lua.machine;

import dev.gleaner.lua.CompiledFunctions;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bodies that guests share: functions of the same code have the same body, which the JVM has
 * compiled already. At most so many bodies exist, besides those that run at the moment.
 *
 * <p>A body counts for one guest: of those that have it, for one that had fewest when it joined.
 * Where one more would be too many, a body goes that no function of an open guest has; else one of
 * the guest for which most count, one that did not begin for long. The guest that asks gives one of
 * its own unless another has two more. So a guest that makes bodies for ever takes none of a guest
 * that has fewer. Functions that lose their body are interpreted, and are compiled again when they
 * are hot again.
 *
 * <p>Guests wait for each other for a look into a table only: bodies are made outside of the lock.
 */
public final class Bodies {
  /** What decides on a body; the rest is in the function that it runs. */
  private static final class Key {
    private final int[] code;
    private final long[] numbers;
    private final int frameSize;

    Key(Code function) {
      this.code = function.code;
      this.numbers = function.numbers;
      this.frameSize = function.frameSize;
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Key k
          && frameSize == k.frameSize
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

  /** A body, and the functions that have it, with the shares of their guests. */
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

  /** In the order in which they were asked for, the last one last. */
  private final Map<Key, Shared> bodies = new LinkedHashMap<>(16, 0.75f, true);

  /** Sums over all guests that were ever open. */
  private final Share all = new Share();

  /**
   * Bodies for the guests of a factory.
   *
   * @param most bodies at the same time, at least 1
   */
  public Bodies(int most) {
    this.most = most;
  }

  /** {@return the figures of all guests} */
  public CompiledFunctions figures() {
    return figures(all);
  }

  /** The figures of one guest. */
  synchronized CompiledFunctions figures(Share share) {
    return new CompiledFunctions(share.bodies, share.bytes, share.made, share.dropped);
  }

  /** Gives a function a body; false if the function is too large to have one. */
  boolean give(Code function, Share share) {
    Key key = new Key(function);
    if (join(key, function, share)) {
      return true;
    }
    Body body = BodyCompiler.compile(function);
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

  /** A function is gone, and needs its body no longer. */
  synchronized void leave(Code function, Share share) {
    Shared known = bodies.get(new Key(function));
    if (known != null && known.users.remove(function) != null && share.equals(known.owner)) {
      Iterator<Share> others = known.users.values().iterator();
      known.countFor(others.hasNext() ? others.next() : null);
    }
    function.body = null;
  }

  private void evict(Share asking) {
    Shared victim = null;
    Share largest = asking;
    int least = asking.bodies == 0 ? 0 : asking.bodies + 1; // else the two would go on taking turns
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
    // The threads of other guests see this soon; a body that runs ends as ever.
    next.users.forEach((function, _) -> function.body = null);
  }

  /** A body of a guest that did not begin for long. */
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
