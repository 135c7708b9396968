package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapExhaustedException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Strings of bytes and what is done with them, whether all are interned, short ones, or none.
 *
 * <p>Most is a random program over a few slots beside a model of arrays of bytes, with collections
 * in between.
 */
record StringRules(Config config, List<ClassLoader> loaders) {
  private static final int STRINGS = 8;
  private static final int OBJECT = 8;
  private static final int BUFFER = 9;
  private static final int KEY = 10;
  private static final int VALUE = 11;
  private static final int SLOTS = 12;
  private static final int STEPS = 600;
  private static final int BYTES = 400;

  List<Rule> all() {
    return List.of(
        rule("are their bytes, whatever is done with them", "", "2147483647", Program::run),
        rule("are their bytes, short ones interned", "", "12", Program::run),
        rule("are their bytes, none interned", "", "0", Program::run),
        rule("are their bytes, under torture", "torture.gc = 3", "12", Program::run),
        rule("have units of UTF-16", "", "12", Program::units),
        rule("of numbers read back", "", "12", Program::numbers),
        rule("that are long and equal are one key", "", "8", Program::keys),
        rule("that are interned on request are one", "", "8", Program::interned),
        rule("that are long go when nothing holds them", "", "8", Program::garbage),
        rule(
            "for which there is no memory change nothing",
            "memory.max = 64KiB",
            "8",
            Program::full));
  }

  private Rule rule(
      String text, String settings, String interned, Function<Program, @Nullable String> check) {
    Config own =
        ConfigFactory.parseString(
                "gleaner { strings { initial = 16, max-interned = %s }\n%s\n}"
                    .formatted(interned, settings))
            .withFallback(config);
    return PluginRules.onHeap(
        "strings", text, own, loaders, heap -> check.apply(new Program(heap)));
  }

  /** Slots 0 to 7 hold the strings of the model; the object has some of them as keys. */
  private static final class Program {
    private final Heap heap;
    private final Mutator t;
    private final SplittableRandom random = new SplittableRandom(17);
    private final byte[][] model = new byte[STRINGS][];
    private final Map<byte[], Integer> properties = new TreeMap<>(Arrays::compareUnsigned);
    private @Nullable String wrong;

    Program(Heap heap) {
      this.heap = heap;
      t = heap.mutator();
      t.enter(SLOTS);
      t.newObject(OBJECT);
      t.newBuffer(BUFFER, BYTES);
      for (int s = 0; s < STRINGS; s++) {
        make(s, bytes(s));
      }
    }

    private void make(int s, byte[] bytes) {
      model[s] = bytes;
      t.newString(s, bytes, 0, bytes.length);
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Few letters, so that some are equal; text or not. */
    private byte[] bytes(int most) {
      if (random.nextInt(4) == 0) {
        String[] texts = {"ä", "€uro", "😀", "text", "a longer text", "äöü äöü äöü"};
        return bytes(texts[random.nextInt(texts.length)]);
      }
      byte[] some = {'a', 'b', 0, (byte) 0xC3, (byte) 0xA4, (byte) 0xC0, (byte) 0xFF};
      int letters = random.nextBoolean() ? 2 : some.length;
      byte[] b = new byte[random.nextInt(most + 1)];
      for (int i = 0; i < b.length; i++) {
        b[i] = some[random.nextInt(letters)];
      }
      return b;
    }

    private void expect(Object expected, Object found, String what) {
      if (wrong == null && !expected.equals(found)) {
        wrong = "expected " + what + " " + expected + ", found " + found;
      }
    }

    @Nullable String run() {
      for (int zeros : new int[] {0xC080, 0xE08080, 0xF0808080}) { // zero in a longer form
        byte[] form = BigInteger.valueOf(zeros & 0xFFFFFFFFL).toByteArray();
        make(0, Arrays.copyOfRange(form, 1, form.length));
        expect(false, t.isText(0), "text:");
      }
      for (int i = 0; i < STEPS && wrong == null; i++) {
        step();
        if (i % 50 == 0) {
          heap.collect();
        }
      }
      for (int s = 0; s < STRINGS; s++) {
        look(s);
      }
      expect(properties.size(), t.propertyCount(OBJECT), "properties");
      return wrong;
    }

    private void step() {
      int d = random.nextInt(STRINGS);
      int s = random.nextInt(STRINGS);
      int length = model[s].length;
      int from = random.nextInt(length + 1);
      int to = from + random.nextInt(length - from + 1);
      switch (random.nextInt(11)) {
        case 0 -> make(d, bytes(random.nextInt(10) == 0 ? 300 : 14));
        case 1 -> {
          t.substring(d, s, from, to);
          model[d] = Arrays.copyOfRange(model[s], from, to);
        }
        case 2 -> concat(d, s, random.nextInt(STRINGS - s + 1));
        case 3 -> throughBuffer(d, s, from, to);
        case 4 -> compare(d, s);
        case 5 -> expect(indexOf(model[d], model[s], 0), t.indexOf(d, s, 0), "the index");
        case 6 -> put(s);
        case 7 -> get(s);
        case 8 -> delete(s);
        case 9 -> {
          t.intern(d, s);
          model[d] = model[s];
          expect(true, t.isInterned(d), "interned:");
        }
        default -> look(s);
      }
    }

    private void concat(int d, int first, int count) {
      byte[] all = new byte[0];
      for (int s = first; s < first + count; s++) {
        int n = all.length;
        all = Arrays.copyOf(all, n + model[s].length);
        System.arraycopy(model[s], 0, all, n, model[s].length);
      }
      if (all.length < 1000) {
        t.concat(d, first, count);
        model[d] = all;
        look(d);
      }
    }

    private void throughBuffer(int d, int s, int from, int to) {
      if (model[s].length > BYTES) {
        return;
      }
      expect(model[s].length, t.stringToBuffer(BUFFER, 0, s), "bytes written:");
      t.stringFromBuffer(d, BUFFER, from, to - from);
      model[d] = Arrays.copyOfRange(model[s], from, to);
    }

    private void compare(int a, int b) {
      int order = Integer.signum(Arrays.compareUnsigned(model[a], model[b]));
      expect(order, t.compareStrings(a, b), "the order");
      expect(order == 0, t.equalStrings(a, b), "equal:");
      if (t.isInterned(a) && t.isInterned(b)) {
        expect(order == 0, t.same(a, b), "the same, as both are interned:");
      }
    }

    private static int indexOf(byte[] bytes, byte[] part, int from) {
      for (int i = from; i <= bytes.length - part.length; i++) {
        if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
          return i;
        }
      }
      return -1;
    }

    private void put(int s) {
      int value = random.nextInt(1000);
      t.setInt(VALUE, value);
      t.putProperty(OBJECT, s, VALUE);
      properties.put(model[s], value);
    }

    private void get(int s) {
      Integer value = properties.get(model[s]);
      expect(value != null, t.getOwnProperty(VALUE, OBJECT, s), "a property:");
      if (value != null && wrong == null) {
        expect(value, t.getInt(VALUE), "its value");
      }
    }

    private void delete(int s) {
      boolean there = properties.remove(model[s]) != null;
      expect(there, t.deleteProperty(OBJECT, s), "deleted:");
    }

    private void look(int s) {
      byte[] read = new byte[t.stringBytes(s)];
      t.readString(s, 0, read, 0, read.length);
      if (!Arrays.equals(read, model[s])) {
        expect(Arrays.toString(model[s]), Arrays.toString(read), "the bytes");
        return;
      }
      String text = new String(read, StandardCharsets.UTF_8);
      boolean isText = Arrays.equals(bytes(text), read);
      expect(isText, t.isText(s), "text:");
      if (isText && wrong == null) {
        int n = text.codePointCount(0, text.length());
        expect(n, t.stringLength(s), "characters:");
        expect(text, t.getString(s), "the text");
        if (n > 0 && wrong == null) {
          int at = random.nextInt(n);
          int expected = text.codePointAt(text.offsetByCodePoints(0, at));
          expect(expected, t.charAt(s, at), "a character");
          lookInUnits(s, text);
        }
      }
    }

    private void lookInUnits(int s, String text) {
      expect(text.length(), t.utf16Length(s), "units of UTF-16:");
      int at = random.nextInt(text.length());
      expect((int) text.charAt(at), t.utf16At(s, at), "a unit");
    }

    /** Unpaired surrogates are units, too; walks go both ways, and in leaps. */
    @Nullable String units() {
      String text = "a\ud800b\ud83d\ude00\udc00ä€".repeat(20);
      t.newString(0, text);
      t.newString(1, "x" + text);
      int n = text.length();
      for (int i = 0; i < 4 * n && wrong == null; i++) {
        int at = i < n ? i : i < 2 * n ? 2 * n - 1 - i : random.nextInt(n);
        expect((int) text.charAt(at), t.utf16At(0, at), "unit " + at);
        int other = random.nextInt(n);
        expect((int) text.charAt(other), t.utf16At(1, other + 1), "unit " + other);
        if (i % 3 == 0) { // both counts share what was noted
          int c = random.nextInt(t.stringLength(0));
          int expected = text.codePointAt(text.offsetByCodePoints(0, c));
          expect(expected, t.charAt(0, c), "character " + c);
        }
        if (i % 50 == 0) {
          heap.collect();
        }
      }
      expect(n, t.utf16Length(0), "units of UTF-16:");
      expect(text.codePointCount(0, n), t.stringLength(0), "characters:");
      return wrong;
    }

    @Nullable String numbers() {
      double[] some = {0, -0.0, 1, -1.5, 1e21, 1e-7, Double.MIN_VALUE, Double.MAX_VALUE, 0.1 + 0.2};
      for (int i = 0; i < 200; i++) {
        double v = i < some.length ? some[i] : Double.longBitsToDouble(random.nextLong());
        t.setDouble(VALUE, v);
        t.concat(KEY, VALUE, 1);
        expect(Double.toString(v), t.getString(KEY), "the text of a double");
        expect(true, t.toNumber(VALUE, KEY), "a number:");
        expect(v, t.getDouble(VALUE), "the double");
        int w = random.nextInt() >> random.nextInt(32);
        t.setInt(VALUE, w);
        t.concat(KEY, VALUE, 1);
        expect(Integer.toString(w), t.getString(KEY), "the text of an integer");
        expect(true, t.toNumber(VALUE, KEY), "a number:");
        expect(w, t.getInt(VALUE), "the integer");
      }
      return wrong;
    }

    @Nullable String keys() {
      byte[] text = bytes("a key that is longer than what is interned");
      make(0, text);
      make(1, text);
      t.setInt(VALUE, 7);
      t.putProperty(OBJECT, 0, VALUE);
      expect(true, t.getOwnProperty(VALUE, OBJECT, 1), "found by an equal key:");
      expect(true, t.lookUp(VALUE, OBJECT, 1) != Values.ABSENT, "looked up by an equal key:");
      expect(true, t.update(OBJECT, 1, VALUE), "updated by an equal key:");
      t.putProperty(OBJECT, 1, VALUE);
      expect(1, t.propertyCount(OBJECT), "properties:");
      t.setUndefined(KEY);
      expect(true, t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE), "a first property:");
      expect(false, t.nextPropertyAfter(OBJECT, 1, KEY, VALUE), "one behind an equal key:");
      t.setUndefined(0);
      t.setUndefined(KEY);
      heap.collect();
      expect(true, t.hasProperty(OBJECT, 1), "found when the other is gone:");
      expect(true, t.deleteProperty(OBJECT, 1), "deleted by an equal key:");
      return wrong;
    }

    @Nullable String interned() {
      byte[] text = bytes("a text that is longer than what is interned");
      make(0, text);
      make(1, text);
      expect(false, t.same(0, 1), "one element, but not interned:");
      expect(false, t.isInterned(0), "interned by itself:");
      t.intern(2, 0);
      t.intern(3, 1);
      expect(true, t.same(2, 3), "interned to one element:");
      expect(true, t.findString(KEY, new String(text, StandardCharsets.UTF_8)), "found:");
      expect(true, t.same(KEY, 2), "found, the one that is interned:");
      return wrong;
    }

    @Nullable String garbage() {
      t.wipe(0);
      heap.collect();
      heap.collect();
      long before = heap.statistics().strings();
      for (int i = 0; i < 1000; i++) {
        make(0, bytes("a text that is longer than what is interned"));
        make(1, bytes("another one, longer than what is interned"));
        t.concat(2, 0, 2);
        t.substring(3, 2, 1, 40);
      }
      t.wipe(0);
      heap.collect();
      heap.collect();
      expect(before, heap.statistics().strings(), "strings:");
      return wrong;
    }

    @Nullable String full() {
      make(0, new byte[1000]);
      make(1, bytes("a text that is longer than what is interned"));
      boolean refused = false;
      for (int i = 0; i < 20 && !refused; i++) {
        try {
          t.copy(KEY, 0);
          t.concat(0, 0, 2);
          model[0] = Arrays.copyOf(model[0], model[0].length + model[1].length);
          System.arraycopy(
              model[1], 0, model[0], model[0].length - model[1].length, model[1].length);
          t.copy(1, 0);
          model[1] = model[0];
        } catch (HeapExhaustedException expected) {
          refused = true;
        }
      }
      expect(true, refused, "refused:");
      expect(true, t.same(0, KEY), "the slot as it was:");
      look(0);
      t.wipe(0);
      return wrong;
    }
  }
}
