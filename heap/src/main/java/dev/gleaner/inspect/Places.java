package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.nio.charset.StandardCharsets;
import java.util.function.LongPredicate;

/**
 * Names the words that hold references, in terms of the program.
 *
 * <pre>
 *   record     slot 3
 *   object     prototype, slot 3, property "name", key of entry 5, array part at index 3
 *   function   constant 3, inner function 3
 *   thread     resumer, value stack at 3, call stack entry 3
 * </pre>
 *
 * <p>The heap may be damaged. So this class follows as few words as possible, and shows a key only
 * if the key is certainly a string.
 *
 * @param isString whether a value is a reference to a string that can be read
 */
record Places(Memory memory, LongPredicate isString) {
  private static final int LONGEST = 40;

  /** Returns the name of a place of an element, or of a block that the element owns. */
  String name(long element, long place) {
    long header = memory.get(element);
    long word = (place - element) >> 3;
    boolean inside = word > 0 && word <= Layout.payloadWords(memory, element, header);
    return switch (Layout.kind(header)) {
      case Layout.RECORD -> "slot " + (word - 1);
      case Layout.FUNCTION -> inFunction(element, word - 1 - Layout.FUNCTION_SLOTS);
      case Layout.OBJECT -> inside ? inObject(place - element, word) : inTable(element, place);
      case Layout.THREAD -> inside ? "resumer" : inStacks(element, place);
      default -> "word " + word;
    };
  }

  private String inFunction(long function, long n) {
    long constants = Values.raw(memory.get(function + Layout.FUNCTION_COUNTS));
    return n < constants ? "constant " + n : "inner function " + (n - constants);
  }

  private static String inObject(long offset, long word) {
    return offset == Layout.OBJECT_PROTOTYPE
        ? "prototype"
        : "slot " + (word - 1 - Layout.OBJECT_SLOTS);
  }

  private String inTable(long object, long place) {
    long table = Values.raw(memory.get(object + Layout.OBJECT_TABLE));
    long array = TableLayout.arrayAt(memory, table);
    if (TableLayout.high(memory.get(table + TableLayout.ARRAY)) > 0 && place >= array) {
      return "array part at index " + ((place - array) >> 3);
    }
    int entry = TableLayout.indexOf(table, place);
    long key = memory.get(TableLayout.entryAt(table, entry));
    if (place == TableLayout.entryAt(table, entry)) {
      return "key of entry " + entry;
    }
    return isString.test(key)
        ? "property \"" + text(memory, key) + "\""
        : TableLayout.isDeleted(key) ? "deleted key of entry " + entry : "value of entry " + entry;
  }

  private String inStacks(long thread, long place) {
    long stack = ThreadLayout.stackStart(memory, thread);
    if (place >= stack && place < ThreadLayout.stackEnd(memory, thread)) {
      return "value stack at " + ((place - stack) >> 3);
    }
    long calls = ThreadLayout.callsStart(memory, thread);
    return "call stack entry " + ((place - calls) >> 3) / ThreadLayout.CALL_WORDS;
  }

  /** Returns the begin of a string. */
  static String text(Memory memory, long string) {
    int length = (int) Math.min(LONGEST, memory.get(string + Layout.STRING_WORD) & 0xFFFF_FFFFL);
    byte[] bytes = new byte[length];
    memory.read(string + Layout.STRING_BYTES, bytes, 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
