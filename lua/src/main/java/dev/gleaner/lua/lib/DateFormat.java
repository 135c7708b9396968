package dev.gleaner.lua.lib;

import java.util.Locale;

/** Dates as C's {@code strftime} writes them in the locale C. */
final class DateFormat {
  private static final String[] DAYS = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"
  };
  private static final String[] MONTHS = {
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December"
  };
  private static final String PLAIN = "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";
  private static final String WITH_E = "cCxXyY";
  private static final String WITH_O = "deHImMSuUVwWy";

  private DateFormat() {}

  /**
   * How long the conversion behind a % is.
   *
   * @param first its first character
   * @param second the one behind that
   * @return 0 if there is none such
   */
  static int length(int first, int second) {
    if (first == 'E' || first == 'O') {
      return second > 0 && (first == 'E' ? WITH_E : WITH_O).indexOf(second) >= 0 ? 2 : 0;
    }
    return first > 0 && PLAIN.indexOf(first) >= 0 ? 1 : 0;
  }

  /** What a conversion shows of a moment, by its last letter. */
  static String text(int letter, CivilTime c) {
    return switch (letter) {
      case 'a' -> DAYS[c.weekDay].substring(0, 3);
      case 'A' -> DAYS[c.weekDay];
      case 'b', 'h' -> MONTHS[c.month - 1].substring(0, 3);
      case 'B' -> MONTHS[c.month - 1];
      case 'c' ->
          text('a', c)
              + " "
              + text('b', c)
              + " "
              + text('e', c)
              + " "
              + text('T', c)
              + " "
              + year(c);
      case 'C' -> String.valueOf(Math.floorDiv(year(c), 100));
      case 'd' -> two(c.day);
      case 'D', 'x' -> two(c.month) + "/" + two(c.day) + "/" + text('y', c);
      case 'e' -> (c.day < 10 ? " " : "") + c.day;
      case 'F' -> year(c) + "-" + two(c.month) + "-" + two(c.day);
      case 'g' -> two(Math.floorMod((int) c.isoYear(), 100));
      case 'G' -> String.valueOf((int) c.isoYear());
      case 'H' -> two(c.hour);
      case 'I' -> two((c.hour + 11) % 12 + 1);
      case 'j' -> String.format(Locale.ROOT, "%03d", c.yearDay + 1);
      case 'm' -> two(c.month);
      case 'M' -> two(c.minute);
      case 'n' -> "\n";
      case 'p' -> c.hour < 12 ? "AM" : "PM";
      case 'r' -> text('I', c) + ":" + two(c.minute) + ":" + two(c.second) + " " + text('p', c);
      case 'R' -> two(c.hour) + ":" + two(c.minute);
      case 'S' -> two(c.second);
      case 't' -> "\t";
      case 'T', 'X' -> two(c.hour) + ":" + two(c.minute) + ":" + two(c.second);
      case 'u' -> String.valueOf(c.isoDay());
      case 'U' -> two(c.week(0));
      case 'V' -> two(c.isoWeek());
      case 'w' -> String.valueOf(c.weekDay);
      case 'W' -> two(c.week(1));
      case 'y' -> two(Math.floorMod(year(c), 100));
      case 'Y' -> String.valueOf(year(c));
      case 'z' -> offset(c.offset);
      case 'Z' -> c.zone;
      default -> "%";
    };
  }

  /** The year, of which C keeps 32 bits. */
  private static int year(CivilTime c) {
    return (int) c.year;
  }

  private static String two(long n) {
    return n >= 0 && n < 10 ? "0" + n : String.valueOf(n);
  }

  private static String offset(int seconds) {
    int minutes = Math.abs(seconds) / 60;
    return (seconds < 0 ? "-" : "+") + two(minutes / 60) + two(minutes % 60);
  }
}
