package dev.gleaner.settings;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads one value, or answers null if it is not what is wanted. A string that holds the right text
 * is as good as the value itself (system properties are strings), any other is not.
 */
public final class SettingValues {

  private SettingValues() {}

  // Plain numbers do without BigDecimal: to make its tables takes 20 ms when it is first used.

  /** A whole number; {@code 1e6} and {@code 12.0} are whole. */
  static @Nullable Long whole(ConfigValue value) {
    if (value.unwrapped() instanceof Number n && (n instanceof Integer || n instanceof Long)) {
      return n.longValue();
    }
    BigDecimal number = decimal(value);
    try {
      return number == null ? null : number.longValueExact();
    } catch (ArithmeticException e) {
      return null;
    }
  }

  static @Nullable Double number(ConfigValue value) {
    if (value.unwrapped() instanceof Number n && Double.isFinite(n.doubleValue())) {
      return n.doubleValue();
    }
    BigDecimal number = decimal(value);
    return number == null ? null : number.doubleValue();
  }

  private static @Nullable BigDecimal decimal(ConfigValue value) {
    if (value.valueType() != ConfigValueType.NUMBER
        && value.valueType() != ConfigValueType.STRING) {
      return null;
    }
    return Quantities.decimal(String.valueOf(value.unwrapped()));
  }

  /** Bytes, with or without a unit. */
  static @Nullable Long bytes(ConfigValue value) {
    if (value.valueType() == ConfigValueType.NUMBER) {
      return whole(value);
    }
    if (value.valueType() != ConfigValueType.STRING) {
      return null;
    }
    return Quantities.bytes(String.valueOf(value.unwrapped()));
  }

  /**
   * Nanoseconds; the unit is required, since Config's own (milliseconds) is not what one would
   * guess here.
   */
  static @Nullable Long nanos(ConfigValue value) {
    String text = text(value);
    return text == null ? null : Quantities.nanos(text);
  }

  /** {@code true} or {@code false}, in each of the ways in which HOCON writes them. */
  static @Nullable Boolean truth(ConfigValue value) {
    return switch (String.valueOf(value.unwrapped())) {
      case "true", "on", "yes" -> true;
      case "false", "off", "no" -> false;
      default -> null;
    };
  }

  /**
   * {@return a value as text, null if it is none}
   *
   * @param value of a setting
   */
  public static @Nullable String text(ConfigValue value) {
    return value.valueType() == ConfigValueType.STRING ? (String) value.unwrapped() : null;
  }

  /**
   * The word by which the configuration names a constant: {@code AFTER_COLLECTION} is {@code
   * after-collection}.
   */
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The elements of a list. Also of an object with the keys 0, 1, 2…, which is how system
   * properties spell a list, and of a string with commas.
   */
  static @Nullable List<ConfigValue> list(ConfigValue value) {
    if (value instanceof ConfigList list) {
      return list;
    }
    if (value instanceof ConfigObject object) {
      TreeMap<Integer, ConfigValue> elements = new TreeMap<>();
      for (String key : object.keySet()) {
        if (!key.matches("\\d{1,9}")) {
          return null;
        }
        elements.put(Integer.valueOf(key), object.get(key));
      }
      return new ArrayList<>(elements.values());
    }
    String text = text(value);
    if (text == null) {
      return null;
    }
    List<ConfigValue> elements = new ArrayList<>();
    for (String word : text.split(",", -1)) {
      if (!word.isBlank()) {
        elements.add(ConfigValueFactory.fromAnyRef(word.strip()).withOrigin(value.origin()));
      }
    }
    return elements;
  }
}
