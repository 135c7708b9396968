package dev.gleaner.kit.oracle;

import dev.gleaner.heap.FreeCallback;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/** Simple values, records, functions, natives. */
final class ElementOperations {
  private static final int CALLBACK_SLOTS = 3;

  private final Twin twin;
  private final List<NativeValue> natives = new ArrayList<>();
  private final FreeCallback callback = this::freed;
  private int made;

  ElementOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("value", 6, this::value),
        new Operation("integer", 3, this::integer).alone().amongCalls(2),
        new Operation("copy", 6, this::copy),
        new Operation("new record", 12, this::newRecord).alone().amongCalls(20),
        new Operation("new records", 1, this::newRecords).amongCalls(3),
        new Operation("store", 16, twin.onSlotted(this::store)).amongCalls(14),
        new Operation("store a value", 4, twin.onSlotted(this::storeValue)),
        new Operation("load", 10, twin.onSlotted(this::load)).amongCalls(4),
        new Operation("new function", 4, this::newFunction).unsayable().amongCalls(3),
        new Operation("store into a function", 5, this::storeFunction).unsayable().amongCalls(5),
        new Operation("load from a function", 3, this::loadFunction).unsayable().amongCalls(2),
        new Operation("new native", 4, this::newNative).alone(),
        new Operation("set sort", 2, this::setSort).unsayable().amongCalls(2),
        new Operation("hash", 4, this::hash));
  }

  /** A string may go and come back without its sort. */
  private void setSort(Dice dice) {
    int s = twin.find(dice, ShadowElement::isMortal);
    if (s < 0) {
      return;
    }
    int sort = dice.chance(20) ? 0 : twin.heap.sort("kit.sort" + dice.below(Layout.MOST_SORTS));
    twin.cannotSay("sort of " + twin.name(s) + " " + sort);
    twin.element(s).sort = sort;
    twin.t.setSort(s, sort);
  }

  /** Puts a simple value into a slot. */
  private void value(Dice dice) {
    int d = twin.slot(dice);
    int roll = dice.below(6);
    int n = dice.between(-5, 1_000_000);
    double x = roll == 5 && !twin.sayable ? Double.NaN : n % 3 == 0 ? n % 8 * -1.0 : n * 1.5e-3;
    String set = "set " + twin.name(d) + " ";
    switch (roll) {
      case 0 -> twin.undefine(d);
      case 1 -> {
        twin.say(set + "null");
        twin.set(d, Special.NULL);
        twin.t.setNull(d);
      }
      case 2 -> {
        twin.say(set + (n % 2 == 0));
        twin.set(d, n % 2 == 0);
        twin.t.setBoolean(d, n % 2 == 0);
      }
      case 3 -> {
        twin.say(set + n);
        twin.set(d, n);
        if (n % 3 == 0) {
          twin.t.setInt(d, n);
        } else {
          twin.t.set(d, Values.ofInt(n));
        }
      }
      default -> {
        twin.say(set + x);
        twin.set(d, x);
        if (n % 3 == 0) {
          twin.t.setDouble(d, x);
        } else {
          twin.t.set(d, Values.ofDouble(x));
        }
      }
    }
  }

  /** Puts an integer into a slot that a tagged value may not hold. */
  private void integer(Dice dice) {
    int d = twin.slot(dice);
    int n = dice.below(8) - 4;
    long[] near = {
      1L << 31, -(1L << 31) - 1, 1L << 53, -(1L << 53), Long.MAX_VALUE, Long.MIN_VALUE
    };
    long v = near[dice.below(near.length)] + n;
    if (v != (int) v) {
      ShadowElement _ =
          twin.make(
              d,
              "set " + twin.name(d) + " " + v,
              () -> twin.t.setLong(d, v),
              () -> twin.shadow.newInteger(v));
    } else {
      twin.say("set " + twin.name(d) + " " + v);
      twin.set(d, (int) v);
      twin.t.setLong(d, v);
    }
  }

  private void copy(Dice dice) {
    copy(twin.slot(dice), twin.slot(dice));
  }

  private void copy(int d, int s) {
    twin.say("set " + twin.name(d) + " " + twin.value(s));
    twin.set(d, twin.get(s));
    twin.t.copy(d, s);
  }

  private void newRecord(Dice dice) {
    int d = twin.slot(dice);
    int n = dice.chance(90) ? dice.below(7) : dice.chance(80) ? dice.below(70) : twin.largest;
    twin.make(
        d,
        "record " + twin.name(d) + " " + n,
        () -> twin.t.newRecord(d, n),
        () -> twin.shadow.newElement(Kind.RECORD, n));
  }

  /** Makes so many that a frame has more than a collector takes together with its caller's. */
  private void newRecords(Dice dice) {
    int d = twin.slot(dice);
    int s = twin.slot(dice);
    boolean list = dice.chance(20) && d != s;
    for (int n = dice.between(5, twin.largest / 10); n > 0; n--) {
      ShadowElement e =
          twin.make(
              d,
              "record " + twin.name(d) + " 2",
              () -> twin.t.newRecord(d, 2),
              () -> twin.shadow.newElement(Kind.RECORD, 2));
      if (list) {
        store(d, e, 0, s);
        copy(s, d);
      }
    }
  }

  private void store(Dice dice, int r) {
    ShadowElement e = twin.element(r);
    store(r, e, dice.below(e.slots.length), twin.slot(dice));
  }

  void store(int r, ShadowElement e, int i, int s) {
    twin.say("set " + twin.name(r) + "." + i + " " + twin.value(s));
    e.slots[i] = twin.get(s);
    twin.t.store(r, i, s);
  }

  private void storeValue(Dice dice, int r) {
    ShadowElement e = twin.element(r);
    int i = dice.below(e.slots.length);
    int n = dice.below(1000);
    if (dice.chance(50)) {
      twin.say("set " + twin.name(r) + "." + i + " null");
      e.slots[i] = Special.NULL;
      twin.t.storeNull(r, i);
    } else {
      twin.say("set " + twin.name(r) + "." + i + " " + n);
      e.slots[i] = n;
      if (n % 2 == 0) {
        twin.t.storeInt(r, i, n);
      } else {
        twin.t.set(r, i, Values.ofInt(n));
      }
    }
  }

  private void load(Dice dice, int r) {
    ShadowElement e = twin.element(r);
    int i = dice.below(e.slots.length);
    int d = twin.slot(dice);
    twin.say("set " + twin.name(d) + " " + twin.name(r) + "." + i);
    twin.set(d, e.slots[i]);
    twin.t.load(d, r, i);
  }

  private void newFunction(Dice dice) {
    int d = twin.slot(dice);
    int constants = dice.below(4);
    int inners = dice.below(3);
    ShadowElement made =
        twin.make(
            d,
            "# function " + twin.name(d) + " " + constants + " " + inners,
            () -> twin.t.newFunction(d, constants, inners),
            () -> twin.shadow.newElement(Kind.FUNCTION, constants + inners));
    made.constants = constants;
    if (constants > 1) {
      made.code = constants * 100;
      twin.t.setFunctionCode(d, made.code);
    }
  }

  private void storeFunction(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    if (f < 0 || twin.element(f).slots.length == 0) {
      return;
    }
    ShadowElement e = twin.element(f);
    int i = dice.below(e.slots.length);
    int s =
        i < e.constants
            ? twin.slot(dice)
            : twin.find(
                dice,
                v -> v instanceof ShadowElement x ? x.kind == Kind.FUNCTION : v instanceof Special);
    if (s < 0) {
      return;
    }
    twin.cannotSay(twin.name(f) + "(" + i + ") = " + twin.value(s));
    e.slots[i] = twin.get(s);
    if (i < e.constants) {
      twin.t.storeConstant(f, i, s);
    } else {
      twin.t.storeInner(f, i - e.constants, s);
    }
  }

  private void loadFunction(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    if (f < 0 || twin.element(f).slots.length == 0) {
      return;
    }
    ShadowElement e = twin.element(f);
    int i = dice.below(e.slots.length);
    int d = twin.slot(dice);
    twin.cannotSay(twin.name(d) + " = " + twin.name(f) + "(" + i + ")");
    twin.set(d, e.slots[i]);
    if (i < e.constants) {
      twin.t.loadConstant(d, f, i);
    } else {
      twin.t.loadInner(d, f, i - e.constants);
    }
  }

  private void newNative(Dice dice) {
    boolean inside = twin.shadow.finalizers.isRunning();
    if (twin.sayable && inside) {
      return; // its callback would come in a later operation, which a script cannot tell apart
    }
    int d = twin.slot(dice);
    NativeValue value = new NativeValue(made++, twin.sayable || dice.chance(70));
    value.operation = inside ? twin.shadow.finalizers.operation : 0;
    value.throwing = !twin.sayable && dice.chance(20) ? Thrown.any(dice) : null;
    value.deed =
        twin.sayable ? NativeValue.Deed.NOTHING : dice.pick(List.of(NativeValue.Deed.values()));
    makeNative(d, value);
  }

  /** Makes a native with a callback, for which the heap makes a thread, with all its stacks. */
  void newNative(int d) {
    NativeValue value = new NativeValue(made++, true);
    value.deed = NativeValue.Deed.CATCHES;
    makeNative(d, value);
  }

  private void makeNative(int d, NativeValue value) {
    value.element =
        twin.make(
            d,
            "native " + twin.name(d) + " " + value.label(),
            () -> twin.t.newNative(d, value, value.hasCallback() ? callback : null),
            () -> twin.shadow.newNative(value.hasCallback()));
    value.element.nativeValue = value;
    natives.add(value);
  }

  /** Takes over the natives of a heap that was opened from an image. */
  void takeOver() {
    twin.shadow.elements.stream()
        .map(e -> e.nativeValue)
        .filter(Objects::nonNull)
        .forEach(natives::add);
  }

  /** What is called for natives that are freed. */
  void freed(Object object, boolean closing) {
    NativeValue value = (NativeValue) object;
    twin.script.note("  freed " + value);
    ShadowElement e = value.element;
    boolean gone = e != null && (twin.exact ? e.dead : !twin.shadow.reachable(false).contains(e));
    if (value.freed || (!closing && !gone)) {
      twin.collector.note(
          new AssertionError("freed " + (value.freed ? "twice: " : "but not lost: ") + value));
    }
    value.freed = true;
    if (!twin.exact) {
      twin.shadow.calls.add(value.label());
    }
    if (!closing && !twin.isEnded()) {
      use(value.deed);
    }
    if (value.throwing != null) {
      twin.shadow.callbacksFailed++;
      Thrown.raise(value.throwing);
    }
  }

  /**
   * Uses the heap in an on-free callback. What is made there is garbage at once, and where every
   * figure is compared in the midst of operations the callback only enters frames.
   */
  private void use(NativeValue.Deed deed) {
    if (deed == NativeValue.Deed.NOTHING) {
      return;
    }
    int depth = twin.t.frameDepth();
    twin.t.enter(CALLBACK_SLOTS);
    twin.t.setInt(CALLBACK_SLOTS - 1, depth);
    // After a full collection of a collector with minor ones, every figure is compared.
    boolean minor = twin.heap.traits().has(Capability.MINOR);
    boolean free = !twin.exact && !twin.prompt && !twin.quiet && !minor;
    try {
      switch (deed) {
        case ALLOCATES -> {
          if (free) {
            twin.orphans = true;
            twin.t.newRecord(0, 2);
            twin.t.newObject(1);
            twin.t.store(0, 1, 1);
          }
        }
        case COLLECTS -> {
          if (free) {
            twin.collectInside();
          }
        }
        case CATCHES -> {
          twin.t.leave();
          twin.t.pushCatcher(0, 1);
        }
        default -> {}
      }
    } catch (HeapExhaustedException e) {
      // the callback is given up
    }
    if (deed == NativeValue.Deed.ENTERS) {
      twin.t.leave();
      if (twin.t.frameDepth() != depth) {
        twin.collector.note(new AssertionError("a callback's frame is not left"));
      }
    }
  }

  private void hash(Dice dice) {
    int s = twin.find(dice, v -> v instanceof ShadowElement e && e.kind != Kind.INTEGER);
    if (s < 0) {
      return;
    }
    int d = twin.slot(dice);
    ShadowElement e = twin.element(s);
    twin.say("hash " + twin.name(d) + " " + twin.name(s));
    int hash = twin.t.identityHash(s);
    if (e.hash != null && e.hash != hash) {
      throw new AssertionError("the hash of " + e + " was " + e.hash + ", is " + hash);
    }
    e.hash = hash;
    twin.set(d, new IdentityHash(e, hash));
    twin.t.setInt(d, hash);
  }

  /** Checks that the callbacks of all natives ran that are gone, or of all at the end. */
  void checkFreed(boolean closed) {
    for (Iterator<NativeValue> i = natives.iterator(); i.hasNext(); ) {
      NativeValue value = i.next();
      ShadowElement e = value.element;
      boolean gone = closed || (e != null && e.dead);
      boolean waits = !closed && value.operation == twin.shadow.finalizers.operation;
      if (value.hasCallback() && gone && !value.freed && waits) {
        continue;
      }
      boolean unsure = value.freed && !gone && !twin.collector.sure;
      if (value.hasCallback() && value.freed != gone && !unsure) {
        throw new AssertionError("must " + (gone ? "" : "not ") + "be freed: " + value);
      }
      if (gone) {
        i.remove();
      }
    }
  }
}
