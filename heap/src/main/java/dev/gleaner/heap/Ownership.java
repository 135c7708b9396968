package dev.gleaner.heap;

import dev.gleaner.refusal.HeapBrokenException;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The Java thread that a heap belongs to, and the calls that the heap refuses.
 *
 * <p>{@link Registers#owner} decides the common case by one comparison. A call that fails it comes
 * to {@link #comeIn}, which refuses the call, or lets the owner in again after an Error.
 */
final class Ownership {
  /** The owner of a heap that was released. */
  private static final Thread RELEASED = new Thread("nobody");

  private static final VarHandle HOME = homeHandle();

  /** Work that calls of the program begin; {@link FinalizerRunner} does it. */
  interface Entrance {
    /** Ends work that an Error left unfinished. */
    void recover();

    /** Begins an operation of the program; a call by a finalizer or callback begins none. */
    void begin();
  }

  private final Registers registers;
  private final String name;
  final Soundness soundness;
  final Observers observers;
  private @Nullable Entrance entrance;

  /** Whether the heap calls one of the user's allocation functions. */
  private boolean calling;

  /**
   * The Java thread that opened the heap or acquired it last. {@link #RELEASED} while the heap is
   * released, null after the heap is closed. A release writes this field last, and an acquire
   * writes it first: so the next thread sees the writes of the thread before.
   */
  @Nullable Thread home;

  Ownership(Registers registers, String name, Soundness soundness) {
    this.registers = registers;
    this.name = name;
    this.soundness = soundness;
    this.observers = new Observers(registers);
  }

  private static VarHandle homeHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(Ownership.class, "home", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Opens the heap for the calling Java thread. */
  void open(Entrance program) {
    entrance = program;
    registers.owner = Thread.currentThread();
    home = registers.owner;
  }

  void close() {
    registers.owner = null;
    home = null;
  }

  // ---- checks ----

  /** Whether the heap is the calling Java thread's. */
  @SuppressWarnings("ReferenceEquality")
  boolean isHome() {
    return Thread.currentThread() == home;
  }

  /**
   * Does {@link Registers#check} for a call that only looks: {@link Observers} may make such a
   * call, too.
   */
  void checkLook() {
    if (!observers.areTold() || !isHome()) {
      registers.check();
    }
  }

  /** As {@link #checkLook}, of a call that may look at a heap in doubt, or broken, too. */
  void checkWitness() {
    checkHome();
    checkNotCalling();
  }

  /** Refuses the call, or lets the owner in. */
  void comeIn() {
    checkHome();
    checkNotCalling();
    if (observers.areTold()) {
      throw new HeapUsageException(
          "heap "
              + name
              + " cannot be used by a listener, a visitor or a stream of its own; they can ask for"
              + " statistics() and inspect() it");
    }
    Throwable damage = registers.owner == null ? soundness.check() : null;
    if (damage != null) {
      throw new HeapBrokenException(name, damage);
    }
    if (registers.owner == null && entrance != null) {
      entrance.recover();
    }
    begin();
    registers.owner = home; // last: after an Error the next call does all of this again
  }

  /** Begins an operation of the program. */
  void begin() {
    if (entrance != null) {
      entrance.begin();
    }
    registers.announced = false;
  }

  /** Refuses a closed heap and another Java thread. */
  @SuppressWarnings("ReferenceEquality")
  void checkHome() {
    Thread belongsTo = home;
    if (belongsTo == null) {
      throw new HeapClosedException(name);
    }
    if (belongsTo == RELEASED) {
      throw new HeapUsageException(
          "heap " + name + " is released: a Java thread has to acquire() it first");
    }
    if (belongsTo != Thread.currentThread()) {
      throw wrongThread(belongsTo);
    }
  }

  private void checkNotCalling() {
    if (calling) {
      throw new HeapUsageException("an allocation function of heap " + name + " must not call it");
    }
  }

  /**
   * Whether the heap is sound, for {@link Heap#close}; refuses a wrong caller as {@link
   * Registers#check} does.
   */
  boolean isSound() {
    try {
      registers.check();
      return true;
    } catch (HeapBrokenException e) {
      return false;
    }
  }

  /** Returns a text that says which Java thread the heap belongs to; for any Java thread. */
  @SuppressWarnings("ReferenceEquality")
  String belongs() {
    Thread belongsTo = home;
    return belongsTo == null || belongsTo == RELEASED ? "released" : "belongs to " + belongsTo;
  }

  private WrongThreadException wrongThread(Thread belongsTo) {
    return new WrongThreadException(
        "heap " + name + " belongs to " + belongsTo + ", called on " + Thread.currentThread());
  }

  // ---- allocation functions ----

  /** Refuses all calls while an allocation function runs; returns the owner until then. */
  @Nullable Thread enterFunction() {
    Thread owner = registers.owner;
    calling = true;
    registers.owner = null;
    return owner;
  }

  void leaveFunction(@Nullable Thread owner) {
    calling = false;
    registers.owner = owner;
  }

  // ---- hand-over ----

  /** Does the work of {@link Heap#release}. */
  void release() {
    registers.owner = null;
    HOME.setVolatile(this, RELEASED);
  }

  /** Does the work of {@link Heap#acquire}. */
  @SuppressWarnings("ReferenceEquality")
  void acquire() {
    Thread me = Thread.currentThread();
    if (!HOME.compareAndSet(this, RELEASED, me)) {
      Thread belongsTo = home;
      if (belongsTo == null) {
        throw new HeapClosedException(name);
      }
      if (belongsTo != me) {
        throw wrongThread(belongsTo);
      }
      throw new HeapUsageException("heap " + name + " belongs to this Java thread already");
    }
    registers.owner = me;
  }

  /**
   * Does the work of {@link Heap#claim}. A thread that sees the end of another thread also sees all
   * its writes. If two threads see the end, they compete for the heap.
   */
  @SuppressWarnings("ReferenceEquality")
  void claim() {
    Thread me = Thread.currentThread();
    Thread belongsTo = (Thread) HOME.getVolatile(this);
    if (belongsTo != null
        && belongsTo != me
        && belongsTo.getState() == Thread.State.TERMINATED
        && HOME.compareAndSet(this, belongsTo, me)) {
      registers.owner = registers.owner == null ? null : me; // in doubt it stays
    }
    checkHome();
  }
}
