package dev.gleaner.it;

import dev.gleaner.heap.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Strings and buffers. */
final class ByteOperations {
  private static final List<String> LETTERS =
      List.of("a", "b", "xyz", "0", "ä", "ß", "€", "日本", "😀", "\uD800", "é", " ", "\u0000");

  private final Twin twin;

  ByteOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("new string", 14, this::newString),
        new Operation("find string", 3, this::findString),
        new Operation("look into a string", 3, this::look),
        new Operation("new buffer", 4, this::newBuffer),
        new Operation("new dynamic buffer", 4, this::newDynamicBuffer),
        new Operation("resize buffer", 6, this::resize),
        new Operation("write into a buffer", 8, this::write));
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

  private static String shown(String text) {
    return text.length() < 30 ? "\"" + text + "\"" : "of " + text.length();
  }

  private void newString(Dice dice) {
    int d = twin.slot(dice);
    String text = text(dice);
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    boolean wellFormed = new String(utf8, StandardCharsets.UTF_8).equals(text);
    twin.log.add("newString " + d + " " + shown(text));
    if (wellFormed && dice.chance(40)) {
      twin.intern(d, text, () -> twin.t.newString(d, utf8, 0, utf8.length));
    } else {
      twin.intern(d, text, () -> twin.t.newString(d, text));
    }
  }

  private void findString(Dice dice) {
    int d = twin.slot(dice);
    String text = text(dice);
    twin.log.add("findString " + d + " " + shown(text));
    Object before = twin.get(d);
    ShadowElement known = twin.shadow.strings.get(text);
    if (known != null) {
      twin.set(d, known);
    }
    if (twin.t.findString(d, text)) {
      if (known == null) {
        throw new AssertionError("found, but was never made: " + text);
      }
    } else if (known != null) {
      twin.set(d, before);
      if (twin.exact || twin.shadow.reachable(true).contains(known)) {
        throw new AssertionError("not found: " + known);
      }
    }
  }

  private void look(Dice dice) {
    int s = twin.find(dice, Kind.STRING);
    if (s < 0) {
      return;
    }
    String text = twin.element(s).text;
    int n = text.codePointCount(0, text.length());
    twin.log.add("look into " + s);
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
    twin.log.add("newBuffer " + d + ", " + n);
    twin.make(d, () -> twin.t.newBuffer(d, n), () -> twin.shadow.newElement(Kind.BUFFER, 0)).bytes =
        new byte[n];
  }

  private void newDynamicBuffer(Dice dice) {
    int d = twin.slot(dice);
    int n = bytes(dice);
    twin.log.add("newDynamicBuffer " + d + ", " + n);
    twin.make(
                d,
                () -> twin.t.newDynamicBuffer(d, n),
                () -> twin.shadow.newElement(Kind.DYNAMIC_BUFFER, 0))
            .bytes =
        new byte[n];
  }

  private void resize(Dice dice) {
    int b = twin.find(dice, Kind.DYNAMIC_BUFFER);
    if (b < 0) {
      return;
    }
    int n = bytes(dice);
    twin.log.add("resizeBuffer " + b + ", " + n);
    twin.t.resizeBuffer(b, n);
    ShadowElement e = twin.element(b);
    e.bytes = Arrays.copyOf(e.bytes, n);
  }

  private void write(Dice dice) {
    int b =
        twin.find(
            dice,
            v ->
                v instanceof ShadowElement e
                    && (e.kind == Kind.BUFFER || e.kind == Kind.DYNAMIC_BUFFER)
                    && e.bytes.length >= 8);
    if (b < 0) {
      return;
    }
    byte[] model = twin.element(b).bytes;
    int at = dice.below(model.length - 7);
    long value = dice.next();
    twin.log.add("write " + b + " at " + at);
    switch (dice.below(3)) {
      case 0 -> {
        model[at] = (byte) value;
        twin.t.putByte(b, at, (byte) value);
      }
      case 1 -> {
        ByteBuffer.wrap(model).order(ByteOrder.nativeOrder()).putLong(at, value);
        twin.t.putLong(b, at, value);
      }
      default -> {
        byte[] some = new byte[dice.below(model.length - at + 1)];
        Arrays.fill(some, (byte) value);
        System.arraycopy(some, 0, model, at, some.length);
        twin.t.writeBytes(b, at, some, 0, some.length);
      }
    }
  }
}
