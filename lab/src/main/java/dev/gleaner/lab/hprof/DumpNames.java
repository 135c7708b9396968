package dev.gleaner.lab.hprof;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of classes and fields in a heap dump. A dump has far more of them than are shown, so
 * one pass finds out which are wanted, and a later one reads their texts.
 */
final class DumpNames implements HprofVisitor {
  private static final int LONGEST = 1000;

  /** The field of a reference object that refers to what may go. */
  private static final String REFERENT = "referent";

  /** From a class to a place in the list of names, and from a name to the same. */
  private final IdMap classes = new IdMap(1000);

  private final IdMap names = new IdMap(1000);
  private final List<@Nullable String> texts = new ArrayList<>();
  private long referent;

  @Override
  public void classLoaded(long classId, long nameId) {
    classes.put(classId, want(nameId));
  }

  /** Has a name's text kept by the next pass. */
  int want(long nameId) {
    int at = names.get(nameId);
    if (at < 0) {
      at = texts.size();
      names.put(nameId, at);
      texts.add(null);
    }
    return at;
  }

  @Override
  public void name(long id, HprofInput in) {
    int at = names.get(id);
    if (at >= 0 || in.remaining() == REFERENT.length()) {
      byte[] bytes = new byte[(int) Math.min(LONGEST, in.remaining())];
      in.bytes(bytes, 0, bytes.length);
      String text = new String(bytes, StandardCharsets.UTF_8);
      referent = text.equals(REFERENT) ? id : referent;
      if (at >= 0) {
        texts.set(at, text);
      }
    }
  }

  /** Whether this is the name of a reference object's referent. */
  boolean isReferent(long nameId) {
    return nameId != 0 && nameId == referent;
  }

  /** Returns a name that was wanted, or its number if the dump has no text for it. */
  String text(long nameId) {
    int at = names.get(nameId);
    String text = at < 0 ? null : texts.get(at);
    return text == null ? "?%x".formatted(nameId) : text;
  }

  /** Returns a class's name as in Java, such as {@code java.lang.Object[]}. */
  String className(long classId) {
    int at = classes.get(classId);
    String text = at < 0 ? null : texts.get(at);
    return text == null ? "class %#x".formatted(classId) : inJava(text);
  }

  private static String inJava(String name) {
    int dimensions = 0;
    while (dimensions < name.length() && name.charAt(dimensions) == '[') {
      dimensions++;
    }
    String item = name.substring(dimensions);
    if (dimensions > 0 && item.length() == 1) {
      item = primitive(item);
    } else if (dimensions > 0 && item.startsWith("L") && item.endsWith(";")) {
      item = item.substring(1, item.length() - 1);
    }
    return item.replace('/', '.') + "[]".repeat(dimensions);
  }

  private static String primitive(String letter) {
    return switch (letter) {
      case "Z" -> "boolean";
      case "C" -> "char";
      case "F" -> "float";
      case "D" -> "double";
      case "B" -> "byte";
      case "S" -> "short";
      case "I" -> "int";
      case "J" -> "long";
      default -> letter;
    };
  }
}
