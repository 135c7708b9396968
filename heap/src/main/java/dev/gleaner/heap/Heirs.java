package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectionRequest.Cause;
import dev.gleaner.spi.Collector;
import dev.gleaner.weak.FinalizerTable;

/**
 * Knows which objects inherit a finalizer from their prototypes (Duktape looks it up as a property
 * when the object dies).
 *
 * <pre>
 *   an object's entry in the {@link FinalizerTable}
 *     own    it has a finalizer of its own, which nobody inherits
 *     lent   it has one, and so have all that find the object along their chain of prototypes
 *     heir   it has none, and finds a lent one along its chain: the nearest, when it is called
 * </pre>
 *
 * <p><b>Invariants</b>, between operations and whenever the program's code runs:
 *
 * <ol>
 *   <li>An heir finds a lent finalizer along its chain. The verifier looks at that.
 *   <li>An object that finds one has an entry. Not so under ordered finalizers, if it was called.
 * </ol>
 *
 * So no collector asks for prototypes, neither when it decides nor when a count drops to zero; and
 * where nobody lends, prototypes cost a comparison. {@link #reparent} and {@link #lend} keep the
 * invariants; no finalizer or callback runs in them. A lender dies no sooner than its heirs: they
 * refer to it.
 *
 * <p>What exists already may become an heir: if an object that is a prototype lends a finalizer, or
 * gets a prototype that does. Then a full collection comes first, so that garbage inherits nothing
 * and nothing is young, and a walk over all elements finds the heirs, in no particular order.
 */
final class Heirs {
  private static final int NOBODY = -1;
  private static final int STACK_LEVELS = 24;

  private final WordAccess r;
  private final HeapParts context;
  private final Driver driver;
  private final FinalizerRunner runner;
  private final Collector collector;
  private final Memory mem;
  private final CriticalSection section;
  private final FinalizerTable table;

  /** Whether a finalizer is gone when it is called. */
  private final boolean detaches;

  /** Whether the ages of objects are known. */
  private final boolean aged;

  Heirs(HeapCore core) {
    this.r = core.registers();
    this.context = core.context();
    this.driver = core.driver();
    this.runner = driver.runner;
    this.collector = core.collector();
    this.mem = context.memory();
    this.section = context.section();
    this.table = context.finalizers();
    this.detaches = core.traits().has(Capability.ORDERED_FINALIZERS);
    this.aged = !core.traits().has(Capability.MOVING);
  }

  /** Whether an object inherits a finalizer, or would if it had none of its own. */
  private boolean inherits(long object) {
    return table.lender(mem.get(object + Layout.OBJECT_PROTOTYPE), mem) >= 0;
  }

  private boolean isLender(long object) {
    int entry = table.find(object);
    return entry >= 0 && table.isLent(entry);
  }

  /** Whether others may have an object as their prototype. */
  private boolean isPrototype(long object) {
    return (mem.get(object) & Layout.FLAG_PROTOTYPE) != 0;
  }

  /** Whether an element has a finalizer that was not detached, its own or an inherited one. */
  boolean isFinalizable(long element) {
    int entry = table.find(element);
    return entry >= 0 && !(detaches && table.state(entry) == FinalizerTable.FINALIZED);
  }

  /** Whether it has one of its own. */
  private boolean isOwner(long element) {
    return isFinalizable(element) && !table.isHeir(table.find(element));
  }

  // ---- prototypes ----

  /**
   * Stores the prototype of the object in slot {@code o}: that in slot {@code s}, or none. Only
   * where some object lends a finalizer.
   */
  void reparent(int o, int s) {
    runner.held++;
    try {
      long e = r.reference(o);
      boolean before = inherits(e);
      boolean after = table.lender(r.value(s), mem) >= 0;
      boolean others = before != after && isPrototype(e) && !isLender(e);
      if (others && after) {
        driver.collect(Cause.EXPLICIT, 0);
      }
      boolean heir = after && table.find(r.reference(o)) < 0;
      if (after) {
        charge(heir ? 1 : 0, others ? o : NOBODY);
      }
      int _ = CriticalSection.probeStack(STACK_LEVELS);
      if (heir) {
        enter(o);
      }
      e = r.reference(o);
      long p = r.value(s);
      r.store(e, e + Layout.OBJECT_PROTOTYPE, Values.isReference(p) ? p : Values.NULL);
      section.enter();
      if (others && after) {
        enterHeirsOf(r.reference(o));
      } else if (others) {
        table.removeLapsed(mem);
      } else if (!after) {
        removeHeir(r.reference(o));
      }
      section.leave();
    } finally {
      runner.held--; // before the next call, which an Error may break off
      runner.resume();
    }
  }

  /** Whether an object that is made with this prototype is an heir; charges it if it is. */
  boolean chargeMade(long prototype) {
    boolean heir = table.lender(prototype, mem) >= 0;
    if (heir) {
      charge(1, NOBODY);
    }
    return heir;
  }

  /**
   * Makes the new object in a slot an heir if its prototype, or one of its prototypes, lends.
   *
   * @param charged whether it is charged already; finalizers may have run since
   */
  void addMade(int d, boolean charged) {
    boolean heir = inherits(r.reference(d));
    if (heir && !charged) {
      charge(1, NOBODY);
    } else if (!heir && charged) {
      refundMade();
    }
    if (heir) {
      enter(d);
    }
  }

  /** Takes back the charge for an object that was not made. */
  void refundMade() {
    section.enter();
    table.refund(1);
    section.leave();
  }

  /**
   * Charges the entries of heirs. Collects if the limit leaves no room.
   *
   * @param heirs the number of heirs, those of the object in the slot left out
   * @param o the slot of an object whose heirs are to be counted, or {@link #NOBODY}
   */
  private void charge(int heirs, int o) {
    for (int attempt = 0; ; attempt++) {
      int n = heirs + (o == NOBODY ? 0 : countHeirsOf(r.reference(o)));
      section.enter();
      boolean fits = table.charge(n);
      section.leave();
      if (fits) {
        return;
      }
      driver.beforeRetry(attempt, FinalizerTable.bytes(n));
    }
  }

  /** Enters the object in a slot as an heir, which is charged. */
  private void enter(int o) {
    long operation = runner.settingOperation();
    long _ = r.escapingSlot(o);
    long e = r.noted(o);
    section.enter();
    table.addHeir(e, operation, aged);
    section.leave();
  }

  private void removeHeir(long e) {
    int entry = table.find(e);
    if (entry >= 0 && table.isHeir(entry)) {
      table.removeEntry(entry);
    }
  }

  /** Counts those that become heirs with an object or by it, after a full collection. */
  private int countHeirsOf(long prototype) {
    int[] n = {0};
    forEachElement(e -> n[0] += becomesHeirOf(prototype, e) ? 1 : 0);
    return n[0];
  }

  /** Enters them, after a full collection: nothing is young, so nothing moves. */
  private void enterHeirsOf(long prototype) {
    long operation = runner.settingOperation();
    forEachElement(e -> {
      if (becomesHeirOf(prototype, e)) {
        mem.put(e, mem.get(e) | Layout.FLAG_NOTED);
        table.addHeir(e, operation, aged);
      }
    });
  }

  private void forEachElement(OffsetVisitor visitor) {
    r.flush();
    collector.retire();
    collector.forEachElement(visitor);
  }

  private boolean becomesHeirOf(long prototype, long e) {
    return Layout.kind(mem.get(e)) == Layout.OBJECT
        && table.find(e) < 0
        && table.inheritsFrom(prototype, e, mem);
  }

  // ---- finalizers ----

  /**
   * Sets the finalizer of the object in a slot, which those inherit that have it as a prototype.
   */
  void lend(int s, String label, Object finalizer, long operation) {
    runner.held++;
    try {
      long e = r.reference(s);
      boolean had = !detaches && (isLender(e) || inherits(e));
      boolean others = !had && isPrototype(e);
      if (others) {
        driver.collect(Cause.EXPLICIT, 0);
        charge(0, s);
      }
      section.enter();
      table.lend(r.noted(s), label, finalizer, operation, aged);
      if (others) {
        enterHeirsOf(r.reference(s));
      }
      section.leave();
    } finally {
      runner.held--; // before the next call, which an Error may break off
      runner.resume();
    }
  }

  /** Sets the finalizer of an element alone. */
  void set(long e, String label, Object finalizer, long operation, boolean object) {
    section.enter();
    boolean lent = isLender(e);
    table.set(e, label, finalizer, operation, object && aged);
    if (lent) {
      table.removeLapsed(mem);
    }
    section.leave();
  }

  /** Removes an element's own finalizer; what it inherits remains. */
  boolean clear(int s) {
    long e = r.reference(s);
    boolean had = isOwner(e);
    boolean lent = isLender(e);
    if (!had && !lent) {
      return false;
    }
    boolean heir = table.lends() && Layout.kind(mem.get(e)) == Layout.OBJECT && inherits(e);
    if (heir) {
      runner.held++;
      try {
        charge(1, NOBODY);
        e = r.reference(s);
        section.enter();
        boolean _ = table.remove(e);
        table.addHeir(e, runner.settingOperation(), aged);
        section.leave();
      } finally {
        runner.held--; // before the next call, which an Error may break off
        runner.resume();
      }
    } else {
      section.enter();
      boolean _ = table.remove(e);
      if (lent) {
        table.removeLapsed(mem);
      }
      section.leave();
    }
    return had;
  }
}
