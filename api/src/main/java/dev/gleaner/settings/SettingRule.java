package dev.gleaner.settings;

import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What is legal for one setting: reads it, and says in words what would be right.
 *
 * <p>A switch where one might expect lambdas: reading the configuration is part of a program's
 * start, and each lambda costs a class made at run time.
 *
 * @param type the sort of value
 * @param least for numbers, sizes and times
 * @param most for numbers, sizes and times
 * @param words the constants of an enum for {@link Type#WORD} and {@link Type#LIST}, or a word that
 *     stands for 1 for {@link Type#COUNT}
 */
public record SettingRule(Type type, Number least, Number most, List<String> words) {

  /** The sorts of values. */
  public enum Type {
    /** A whole number. */
    WHOLE,

    /** Any number. */
    NUMBER,

    /** A size, in bytes. */
    BYTES,

    /** A time, in nanoseconds. */
    TIME,

    /** {@code on} or {@code off}. */
    ON_OFF,

    /** {@code true} or {@code false}. */
    TRUE_FALSE,

    /** Any text. */
    TEXT,

    /** One of some words. */
    WORD,

    /** Some of some words. */
    LIST,

    /** A whole number, {@code off}, or a word that stands for 1. */
    COUNT,

    /** A number of 64 bits, or a word that asks for one at random. */
    SEED
  }

  static SettingRule of(Type type) {
    return new SettingRule(type, 0, 0, List.of());
  }

  static SettingRule within(Type type, Number least, Number most) {
    return new SettingRule(type, least, most, List.of());
  }

  static SettingRule of(Type type, Class<? extends Enum<?>> words) {
    List<String> texts = new ArrayList<>();
    for (Enum<?> constant : words.getEnumConstants()) {
      texts.add(SettingValues.word(constant));
    }
    return new SettingRule(type, 0, 0, texts);
  }

  /** Returns the value, null if it is not legal. A word is returned as its index. */
  @Nullable Object read(ConfigValue value) {
    return switch (type) {
      case WHOLE -> within(SettingValues.whole(value));
      case NUMBER -> {
        Double number = SettingValues.number(value);
        yield number != null && number >= least.doubleValue() && number <= most.doubleValue()
            ? number
            : null;
      }
      case BYTES -> within(SettingValues.bytes(value));
      case TIME -> within(SettingValues.nanos(value));
      case ON_OFF, TRUE_FALSE -> SettingValues.truth(value);
      case TEXT -> SettingValues.text(value);
      case WORD -> {
        int index = words.indexOf(String.valueOf(value.unwrapped()));
        yield index < 0 ? null : index;
      }
      case LIST -> SettingValues.list(value);
      case COUNT -> {
        String text = String.valueOf(value.unwrapped());
        if (text.equals(words.getFirst())) {
          yield 1L;
        }
        yield text.equals("off") || text.equals("false")
            ? Long.valueOf(0)
            : within(SettingValues.whole(value));
      }
      case SEED -> {
        Long whole = SettingValues.whole(value);
        yield whole != null
            ? OptionalLong.of(whole)
            : "random".equals(value.unwrapped()) ? OptionalLong.empty() : null;
      }
    };
  }

  private @Nullable Long within(@Nullable Long value) {
    return value != null && value >= least.longValue() && value <= most.longValue() ? value : null;
  }

  /** Says what would be right in place of a value. */
  String legal(ConfigValue value) {
    return "must be "
        + switch (type) {
          case WHOLE -> "a whole number from " + least + " to " + most;
          case NUMBER -> "a number from " + plain(least) + " to " + plain(most);
          case BYTES ->
              "a size from %s to %s, such as 65536, 512k, 64KiB or 1 GiB"
                  .formatted(size(least.longValue()), size(most.longValue()));
          case TIME ->
              "a time from %s to %s, with a unit, such as 500us or 2ms"
                  .formatted(time(least.longValue()), time(most.longValue()));
          case ON_OFF -> "on or off";
          case TRUE_FALSE -> "true or false";
          case TEXT -> "a text";
          case WORD -> "one of " + Names.among(String.valueOf(value.unwrapped()), words);
          case LIST -> "a list of " + Names.among("", words);
          case COUNT ->
              "off, " + words.getFirst() + " or a whole number from " + least + " to " + most;
          case SEED -> "random or a whole number of 64 bits";
        };
  }

  /**
   * {@return a size as text, such as {@code 64KiB}}
   *
   * @param bytes the size
   */
  public static String size(long bytes) {
    String[] units = {"TiB", "GiB", "MiB", "KiB"};
    for (int i = 0; i < units.length; i++) {
      long unit = 1L << (40 - 10 * i);
      if (bytes >= unit && bytes % unit == 0) {
        return bytes / unit + units[i];
      }
    }
    return String.valueOf(bytes);
  }

  private static String time(long nanos) {
    String[] units = {"s", "ms", "us"};
    long unit = 1_000_000_000;
    for (String name : units) {
      if (nanos >= unit && nanos % unit == 0) {
        return nanos / unit + name;
      }
      unit /= 1000;
    }
    return nanos + "ns";
  }

  private static String plain(Number number) {
    double d = number.doubleValue();
    return d == Math.rint(d) && Math.abs(d) < 1e15 ? String.valueOf((long) d) : String.valueOf(d);
  }
}
