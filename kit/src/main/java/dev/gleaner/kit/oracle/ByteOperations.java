package dev.gleaner.kit.oracle;

import dev.gleaner.kit.oracle.ShadowHeap.Pin;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Strings and buffers. */
record ByteOperations(Twin twin) {
  private static final List<String> LETTERS =
      List.of("a", "b", "xyz", "0", "ä", "ß", "€", "日本", "😀", "\uD800", "é", " ", "\u0000");

  private static final int MOST_PINS = 60;

  List<Operation> all() {
    return List.of(
        new Operation("new string", 14, this::newString).alone().amongCalls(3),
        new Operation("join strings", 5, this::concat).alone().amongCalls(1),
        new Operation("cut out a string", 3, this::substring).alone().amongCalls(1),
        new Operation("find string", 3, this::findString),
        new Operation("look into a string", 3, twin.on(Kind.STRING, this::look)),
        new Operation("new buffer", 4, this::newBuffer).alone().amongCalls(3),
        new Operation("new dynamic buffer", 4, this::newDynamicBuffer).alone(),
        new Operation("resize buffer", 6, twin.on(Kind.DYNAMIC_BUFFER, this::resize)).alone(),
        new Operation("fill a buffer", 4, this::fill),
        new Operation("write into a buffer", 6, this::write).unsayable(),
        new Operation("pin", twin.pins ? 4 : 0, this::pin).unsayable(),
        new Operation("unpin", twin.pins ? 3 : 0, this::unpin).unsayable(),
        new Operation("pin many", twin.pins ? 1 : 0, this::pinMany).unsayable(),
        new Operation("unpin many", twin.pins ? 1 : 0, this::unpinMany).unsayable());
  }

  /** One of a few dozen short texts, or a long one. */
  private String text(Dice dice) {
    if (dice.chance(50)) {
      return "key " + dice.below(40);
    }
    StringBuilder text = new StringBuilder();
    int n = dice.chance(95) ? dice.below(8) : dice.below(twin.largest);
    boolean ascii = dice.chance(30);
    for (int i = 0; i < n; i++) {
      text.append(LETTERS.get(dice.below(ascii ? 4 : LETTERS.size())));
    }
    return text.toString();
  }

  private void newString(Dice dice) {
    int d = twin.slot(dice);
    String text = text(dice);
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    boolean wellFormed = new String(utf8, StandardCharsets.UTF_8).equals(text);
    if (wellFormed && dice.chance(40)) {
      twin.intern(d, text, () -> twin.t.newString(d, utf8, 0, utf8.length));
    } else {
      twin.intern(d, text, () -> twin.t.newString(d, text));
    }
  }

  /** Joins a string and what follows it in the frame, strings and numbers. */
  private void concat(Dice dice) {
    int d = twin.slot(dice);
    int first = twin.find(dice, Kind.STRING);
    if (first < 0) {
      return;
    }
    StringBuilder text = new StringBuilder();
    StringBuilder statement = new StringBuilder("concat " + twin.name(d));
    int most = 1 + dice.below(4);
    int n = 0;
    for (int s = first; n < most && s < twin.frame().slots.size(); s++, n++) {
      String piece = piece(twin.get(s));
      if (s == d || piece == null || splits(text + piece, text.length())) {
        break;
      }
      text.append(piece);
      statement.append(' ').append(twin.name(s));
    }
    int count = n;
    if (count > 0 && text.length() <= 2 * twin.largest) {
      twin.intern(d, text.toString(), statement.toString(), () -> twin.t.concat(d, first, count));
    }
  }

  private static @Nullable String piece(Object value) {
    return switch (value) {
      case ShadowElement e when e.kind == Kind.STRING -> e.text;
      case ShadowElement e when e.kind == Kind.INTEGER -> Long.toString(e.integer);
      case Integer number -> number.toString();
      case Double number -> number.toString();
      default -> null;
    };
  }

  private void substring(Dice dice) {
    int d = twin.slot(dice);
    int s = twin.find(dice, Kind.STRING);
    if (s < 0 || s == d) {
      return;
    }
    String text = twin.element(s).text;
    int from = dice.below(text.length() + 1);
    int to = from + dice.below(text.length() - from + 1);
    if (splits(text, from) || splits(text, to)) {
      return;
    }
    int first = bytesOf(text.substring(0, from));
    int last = first + bytesOf(text.substring(from, to));
    twin.intern(
        d,
        text.substring(from, to),
        "substring " + twin.name(d) + " " + twin.name(s) + " " + first + " " + last,
        () -> twin.t.substring(d, s, first, last));
  }

  /** Whether a surrogate and its partner would be parted, or met. */
  private static boolean splits(String text, int at) {
    return at > 0
        && at < text.length()
        && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at));
  }

  /** An unpaired surrogate takes three bytes. */
  private static int bytesOf(String text) {
    return text.codePoints().map(c -> c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4).sum();
  }

  private void findString(Dice dice) {
    int d = twin.slot(dice);
    String text = text(dice);
    Object before = twin.get(d);
    ShadowElement known = twin.shadow.strings.get(text);
    if (twin.sayable && known != null && !twin.timed && !inReach(known)) {
      return; // found or not
    }
    if (known == null) {
      twin.say("expect no-strings " + Script.quoted(text));
    } else {
      twin.say("expect strings " + Script.quoted(text));
      twin.say("set " + twin.name(d) + " " + Script.quoted(text));
      twin.set(d, known);
    }
    if (twin.t.findString(d, text)) {
      if (known == null) {
        throw new AssertionError("found, but was never made: " + text);
      }
    } else if (known != null) {
      twin.set(d, before);
      if (twin.exact || inReach(known)) {
        throw new AssertionError("not found: " + known);
      }
    }
  }

  private boolean inReach(ShadowElement e) {
    return twin.shadow.reachable(true).contains(e);
  }

  private void look(Dice dice, int s) {
    String text = twin.element(s).text;
    int n = text.codePointCount(0, text.length());
    twin.script.note("look into " + twin.name(s));
    if (twin.t.stringLength(s) != n) {
      throw new AssertionError("length " + twin.t.stringLength(s) + " of " + text);
    }
    for (int i = 0; n > 0 && i < 5; i++) {
      int at = dice.below(n);
      int expected = text.codePointAt(text.offsetByCodePoints(0, at));
      if (twin.t.charAt(s, at) != expected) {
        throw new AssertionError("character " + at + " of " + text);
      }
    }
  }

  private int bytes(Dice dice) {
    return dice.chance(90) ? dice.below(100) : dice.below(twin.largest * 8);
  }

  private void newBuffer(Dice dice) {
    int d = twin.slot(dice);
    int n = bytes(dice);
    twin.make(
        d,
        "buffer " + twin.name(d) + " " + n,
        () -> twin.t.newBuffer(d, n),
        () -> twin.shadow.newBuffer(n));
  }

  private void newDynamicBuffer(Dice dice) {
    int d = twin.slot(dice);
    int n = bytes(dice);
    twin.make(
                d,
                "buffer " + twin.name(d) + " " + n + " dynamic",
                () -> twin.t.newDynamicBuffer(d, n),
                () -> twin.shadow.newElement(Kind.DYNAMIC_BUFFER, 0))
            .bytes =
        new byte[n];
  }

  private void resize(Dice dice, int b) {
    int n = bytes(dice);
    if (twin.shadow.pins.containsKey(twin.element(b))) {
      refuseToResize(b, n);
      return;
    }
    twin.attempt("resize " + twin.name(b) + " " + n, () -> twin.t.resizeBuffer(b, n));
    ShadowElement e = twin.element(b);
    e.pattern = n > e.bytes.length ? -1 : e.pattern;
    e.bytes = Arrays.copyOf(e.bytes, n);
  }

  private void refuseToResize(int b, int n) {
    try {
      twin.t.resizeBuffer(b, n);
    } catch (HeapUsageException expected) {
      return;
    }
    throw new AssertionError("resized, but pinned: " + twin.element(b));
  }

  private int buffer(Dice dice, int least) {
    return twin.find(
        dice,
        v ->
            v instanceof ShadowElement e
                && (e.kind == Kind.BUFFER || e.kind == Kind.DYNAMIC_BUFFER)
                && e.bytes.length >= least);
  }

  /** Fills a buffer; the bytes need not be those of the scenario language's pattern. */
  private void fill(Dice dice) {
    int b = buffer(dice, 1);
    if (b < 0) {
      return;
    }
    ShadowElement e = twin.element(b);
    e.pattern = dice.below(1000);
    twin.say("fill " + twin.name(b) + " " + e.pattern);
    for (int i = 0; i < e.bytes.length; i++) {
      e.bytes[i] = (byte) (e.pattern * 31 + i * 7);
    }
    twin.t.writeBytes(b, 0, e.bytes, 0, e.bytes.length);
  }

  private void write(Dice dice) {
    int b = buffer(dice, 8);
    if (b < 0) {
      return;
    }
    byte[] model = twin.element(b).bytes;
    twin.element(b).pattern = -1;
    int at = dice.below(model.length - 7);
    long value = dice.next();
    twin.cannotSay("write " + twin.name(b) + " at " + at);
    switch (dice.below(4)) {
      case 0 -> {
        model[at] = (byte) value;
        twin.t.putByte(b, at, (byte) value);
      }
      case 1 -> {
        ByteBuffer.wrap(model).order(ByteOrder.nativeOrder()).putLong(at, value);
        twin.t.putLong(b, at, value);
      }
      case 2 -> {
        model[at] = (byte) value;
        twin.t.view(b).set(ValueLayout.JAVA_BYTE, at, (byte) value);
      }
      default -> {
        byte[] some = new byte[dice.below(model.length - at + 1)];
        Arrays.fill(some, (byte) value);
        System.arraycopy(some, 0, model, at, some.length);
        twin.t.writeBytes(b, at, some, 0, some.length);
      }
    }
  }

  private void pin(Dice dice) {
    int b = buffer(dice, 0);
    if (b < 0) {
      return;
    }
    pin(b, twin.element(b));
  }

  private void pin(int b, ShadowElement e) {
    twin.cannotSay("pin " + twin.name(b));
    MemorySegment view = twin.t.pin(b);
    Pin known = twin.shadow.pins.computeIfAbsent(e, _ -> new Pin(twin.t.newWeak(b), view));
    known.pins++;
    checkPin(e, view);
    if (view.address() != known.view.address()) {
      throw new AssertionError("pinned, but moved: " + e);
    }
  }

  /** Makes small buffers that are pinned, so many that a table of them grows. */
  private void pinMany(Dice dice) {
    for (int n = dice.below(twin.shadow.pins.size() < MOST_PINS ? 24 : 1); n > 0; n--) {
      int d = twin.slot(dice);
      int size = dice.below(40);
      ShadowElement e =
          twin.make(
              d,
              "buffer " + twin.name(d) + " " + size,
              () -> twin.t.newBuffer(d, size),
              () -> twin.shadow.newBuffer(size));
      pin(d, e);
    }
  }

  private void unpinMany(Dice dice) {
    for (int n = dice.below(twin.shadow.pins.size() + 1);
        n > 0 && !twin.shadow.pins.isEmpty();
        n--) {
      unpin(dice);
    }
  }

  private void unpin(Dice dice) {
    if (!twin.shadow.pins.isEmpty()) {
      int d = twin.slot(dice);
      unpin(d, dice.pick(List.copyOf(twin.shadow.pins.keySet())));
    }
  }

  /** Takes a pin back; its buffer may be held by nothing else. */
  private void unpin(int d, ShadowElement e) {
    Pin pin = Objects.requireNonNull(twin.shadow.pins.get(e));
    twin.set(d, e);
    if (!twin.t.getWeak(d, pin.ref)) {
      throw new AssertionError("pinned, but gone: " + e);
    }
    twin.cannotSay("unpin " + twin.name(d));
    checkPin(e, pin.view);
    if (--pin.pins == 0) {
      twin.shadow.pins.remove(e);
      pin.ref.close();
    }
    twin.t.unpin(d);
  }

  void unpinAll() {
    while (!twin.shadow.pins.isEmpty()) {
      unpin(0, twin.shadow.pins.keySet().iterator().next());
    }
  }

  /** What was pinned is where it was, and shows what the buffer has. */
  void checkPins() {
    twin.shadow.pins.forEach((e, pin) -> checkPin(e, pin.view));
  }

  private static void checkPin(ShadowElement e, MemorySegment view) {
    if (!Arrays.equals(view.toArray(ValueLayout.JAVA_BYTE), e.bytes)) {
      throw new AssertionError("the view of a pinned buffer shows something else: " + e);
    }
  }
}
