package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The roots of values that the host holds. A root that is made during a function of the host is
 * closed when the function returns. So a script cannot pile up roots. Any other root is closed when
 * Java code refers to the handle no longer.
 */
final class Handles {
  private final Machine machine;
  private final List<Handle> scoped = new ArrayList<>();
  private final ReferenceQueue<Handle> lost = new ReferenceQueue<>();
  private final Set<Kept> kept = new HashSet<>();

  /** The number of running functions of the host. */
  private int running;

  Handles(Machine machine) {
    this.machine = machine;
  }

  /** The root of a lasting handle. */
  private static final class Kept extends PhantomReference<Handle> {
    final GlobalRef ref;

    Kept(Handle handle, GlobalRef ref, ReferenceQueue<Handle> queue) {
      super(handle, queue);
      this.ref = ref;
    }
  }

  Handle make(int s) {
    return running > 0 ? scoped(s) : lasting(s);
  }

  private Handle scoped(int s) {
    Handle handle = new Handle(machine, s);
    scoped.add(handle);
    return handle;
  }

  Handle lasting(int s) {
    while (lost.poll() instanceof Kept gone) {
      gone.ref.close();
      kept.remove(gone);
    }
    Handle handle = new Handle(machine, s);
    kept.add(new Kept(handle, handle.ref(), lost));
    return handle;
  }

  /** Begins a function of the host. Returns a mark for {@link #leave}. */
  int enter() {
    running++;
    return scoped.size();
  }

  void leave(int mark) {
    running--;
    while (scoped.size() > mark) {
      scoped.removeLast().close();
    }
  }
}
