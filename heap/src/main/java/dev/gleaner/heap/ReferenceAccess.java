package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Capability;
import dev.gleaner.table.IdentityTable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a heap notes about an element at its side: finalizers, identity, weak references. */
final class ReferenceAccess {
  private final WordAccess r;
  private final HeapParts context;
  private final Driver driver;
  private final Memory mem;
  private final CriticalSection section;
  private final ReferenceOwner owner;
  private final CallbackThread finalizers;
  private final @Nullable ReferenceCounts counts;

  private final Heirs heirs;

  /** Whether the offset of an element that has escaped may change. */
  private final boolean moves;

  ReferenceAccess(HeapCore core, CallbackThread finalizers, Heirs heirs) {
    this.r = core.registers();
    this.context = core.context();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.section = core.context().section();
    this.owner = core.owner();
    this.finalizers = finalizers;
    this.counts = core.collector().counts();
    this.heirs = heirs;
    this.moves = core.traits().has(Capability.MOVING) && core.collector().frames() == null;
  }

  // ---- finalizers ----

  /**
   * Sets a finalizer.
   *
   * @param lent whether those inherit it that have the object as a prototype
   */
  void setFinalizer(int s, String label, Object finalizer, boolean lent) {
    r.check();
    try {
      Objects.requireNonNull(label, "label");
      Objects.requireNonNull(finalizer, "finalizer");
      if (!Values.isReference(r.value(s)) || r.isBox(r.value(s))) {
        throw new HeapUsageException("not an element: no finalizer on " + r.describe(r.value(s)));
      }
      int kind = Layout.kind(mem.get(r.reference(s)));
      if (kind == Layout.STRING || kind == Layout.NATIVE) {
        throw new HeapUsageException("no finalizer on " + r.describe(r.value(s)));
      }
      if (lent && kind != Layout.OBJECT) {
        throw r.wrongKind(s, "object");
      }
      finalizers.make();
      long _ = r.escapingSlot(s);
      long operation = driver.runner.settingOperation();
      if (lent) {
        heirs.lend(s, label, finalizer, operation);
      } else {
        heirs.set(r.noted(s), label, finalizer, operation, kind == Layout.OBJECT);
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  boolean clearFinalizer(int s) {
    r.check();
    try {
      return heirs.clear(s);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  boolean hasFinalizer(int s) {
    r.checkThread();
    return heirs.isFinalizable(r.reference(s));
  }

  // ---- identity ----

  int identityHash(int s) {
    r.check();
    try {
      long _ = r.escapingSlot(s);
      long e = r.noted(s); // an image is to have the hash
      if (!moves) {
        return fixedHash(e);
      }
      section.enter();
      int hash = context.identities().hash(e);
      section.leave();
      return hash;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Returns the hash of an element that does not move: that of an image, or of its place. */
  private int fixedHash(long e) {
    int given = context.identities().hashIfKnown(e);
    if (given != 0) {
      return given;
    }
    // The hash is one to one within 32 GiB: two live elements have different hashes.
    int h = (int) (e >>> 3 ^ e >>> 35) * 0x9E3779B1;
    h ^= h >>> 16;
    for (int i = 0; i < IdentityTable.MOST_TRIES && context.identities().isTaken(h); i++) {
      h = h * 0x9E3779B1 + 1;
    }
    return h;
  }

  /** Returns the hash of an element that is noted at the side; 0 if nobody asked for it. */
  int hashIfAsked(long e) {
    return moves ? context.identities().hashIfKnown(e) : fixedHash(e);
  }

  /** Returns the number of references to an element; -1 if nobody counts them. */
  int referenceCount(int s) {
    r.checkThread();
    long e = r.reference(s);
    return counts == null || counts.isUncounted(e) ? -1 : (int) counts.count(e);
  }

  // ---- weak references ----

  WeakRef newWeak(int s) {
    r.check();
    try {
      long _ = r.escapingSlot(s);
      WeakRef weak = new WeakRef(owner, -1);
      long e = r.noted(s);
      section.enter();
      weak.number = context.weak().add(e);
      section.leave();
      return weak;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  boolean getWeak(int d, WeakRef weak) {
    r.check();
    try {
      long at = r.slot(d);
      if (weak.number < 0 || !weak.belongsTo(owner)) {
        throw new HeapUsageException(
            weak.number < 0 ? "closed weak reference" : "weak reference of another heap");
      }
      long e = context.weakTarget(weak.number);
      if (e != 0) {
        r.shadeForSnapshot(e);
      }
      r.write(at, e == 0 ? Values.NULL : e);
      return e != 0;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }
}
