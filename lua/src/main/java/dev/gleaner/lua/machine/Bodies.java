package dev.gleaner.lua.machine;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bodies that guests share: functions of the same code have the same body, which the JVM has
 * compiled already. At most so many bodies exist, besides those that run at the moment.
 *
 * <p>Where one more would be too many, a body goes that no function of an open guest has; else one
 * that did not begin for long. Functions that lose their body are interpreted, and are compiled
 * again when they are hot again. A guest makes a bounded number of bodies in its life, so no guest
 * keeps others from having theirs for long.
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

  /** A body, and the functions that have it. */
  private static final class Shared {
    final Body body;
    final Set<Code> users = Collections.newSetFromMap(new WeakHashMap<>());

    Shared(Body body) {
      this.body = body;
    }
  }

  /**
   * Figures of the bodies of a factory.
   *
   * @param bodies there are
   * @param made since the factory was made
   * @param evicted of them
   */
  public record Figures(int bodies, long made, long evicted) {}

  private final int most;

  /** In the order in which they were asked for, the last one last. */
  private final Map<Key, Shared> bodies = new LinkedHashMap<>(16, 0.75f, true);

  private long made;
  private long evicted;

  /**
   * Bodies for the guests of a factory.
   *
   * @param most bodies at the same time, at least 1
   */
  public Bodies(int most) {
    this.most = most;
  }

  /** {@return the figures now} */
  public synchronized Figures figures() {
    return new Figures(bodies.size(), made, evicted);
  }

  /** Gives a function a body, unless the function is too large to have one. */
  void give(Code function) {
    Key key = new Key(function);
    if (!join(key, function)) {
      Body body = BodyCompiler.compile(function);
      if (body != null) {
        add(key, body, function);
      }
    }
  }

  private synchronized boolean join(Key key, Code function) {
    Shared known = bodies.get(key);
    if (known != null) {
      known.users.add(function);
      function.body = known.body;
    }
    return known != null;
  }

  private synchronized void add(Key key, Body body, Code function) {
    made++;
    if (join(key, function)) {
      return; // another guest was faster
    }
    if (bodies.size() >= most) {
      evict();
    }
    Shared shared = new Shared(body);
    bodies.put(key, shared);
    shared.users.add(function);
    function.body = body;
  }

  /** A function is gone, and needs its body no longer. */
  synchronized void leave(Code function) {
    Shared known = bodies.get(new Key(function));
    if (known != null) {
      known.users.remove(function);
    }
    function.body = null;
  }

  private void evict() {
    Shared victim = null;
    for (Shared s : bodies.values()) {
      if (s.users.isEmpty()) {
        victim = s;
        break;
      }
      if (victim == null && !s.body.used) {
        victim = s;
      }
      s.body.used = false;
    }
    Iterator<Shared> all = bodies.values().iterator();
    Shared next = all.next();
    while (victim != null && next != victim) {
      next = all.next();
    }
    all.remove();
    evicted++;
    // The threads of other guests see this soon; a body that runs ends as ever.
    next.users.forEach(function -> function.body = null);
  }
}
