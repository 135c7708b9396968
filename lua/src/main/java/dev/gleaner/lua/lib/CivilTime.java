package dev.gleaner.lua.lib;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.TimeZone;

/** A moment as C's {@code struct tm} has it, in a time zone, and back. The years have 32 bits. */
final class CivilTime {
  private static final long DAY = 86_400;
  private static final long HOUR = 3600;

  /** Days in 400 years, and from March of the year 0 to January of 1970. */
  private static final long ERA = 146_097;

  private static final long EPOCH = 719_468;

  /** Moments of which Java knows the offset of a time zone. */
  private static final long LEAST = LocalDateTime.MIN.toEpochSecond(ZoneOffset.UTC) + DAY;

  private static final long MOST = LocalDateTime.MAX.toEpochSecond(ZoneOffset.UTC) - DAY;

  private static final int[] DAYS_BEFORE = {
    0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
  };

  long year;
  int month;
  int day;
  int hour;
  int minute;
  int second;

  /** The day of the week, from 0 for Sunday. */
  int weekDay;

  /** The day of the year, from 0. */
  int yearDay;

  boolean daylightSaving;
  int offset;
  String zone = "GMT";

  private CivilTime() {}

  /** A moment in UTC. */
  static CivilTime utc(long seconds) {
    CivilTime c = new CivilTime();
    c.set(seconds);
    return c;
  }

  /** A moment in a time zone. */
  static CivilTime local(long seconds, ZoneId zone) {
    CivilTime c = new CivilTime();
    Instant instant = instant(seconds);
    ZoneRules rules = zone.getRules();
    c.offset = rules.getOffset(instant).getTotalSeconds();
    c.daylightSaving = rules.isDaylightSavings(instant);
    c.zone = name(zone, c.daylightSaving);
    c.set(seconds + c.offset);
    return c;
  }

  private static String name(ZoneId zone, boolean daylightSaving) {
    if (zone instanceof ZoneOffset) {
      return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }
    return TimeZone.getTimeZone(zone)
        .getDisplayName(daylightSaving, TimeZone.SHORT, Locale.ENGLISH);
  }

  private static Instant instant(long seconds) {
    return Instant.ofEpochSecond(Math.clamp(seconds, LEAST, MOST));
  }

  private void set(long seconds) {
    long days = Math.floorDiv(seconds, DAY);
    int rest = (int) Math.floorMod(seconds, DAY);
    hour = rest / (int) HOUR;
    minute = rest / 60 % 60;
    second = rest % 60;
    weekDay = (int) Math.floorMod(days + 4, 7L);
    // Years are counted from March, so that a leap day is the last one.
    long shifted = days + EPOCH;
    long era = Math.floorDiv(shifted, ERA);
    long dayOfEra = Math.floorMod(shifted, ERA);
    long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    long march = (5 * dayOfYear + 2) / 153;
    day = (int) (dayOfYear - (153 * march + 2) / 5 + 1);
    month = (int) (march < 10 ? march + 3 : march - 9);
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    yearDay = DAYS_BEFORE[month - 1] + day - 1 + (month > 2 && isLeap(year) ? 1 : 0);
  }

  private static boolean isLeap(long y) {
    return Math.floorMod(y, 4L) == 0
        && (Math.floorMod(y, 100L) != 0 || Math.floorMod(y, 400L) == 0);
  }

  /** Whether the year fits C's. */
  boolean isRepresentable() {
    long y = year - 1900;
    return y == (int) y;
  }

  /** Seconds from 1970 in a clock that shows these fields, which may be out of their ranges. */
  static long clock(long year, long month, long day, long hour, long minute, long second) {
    long y = year + Math.floorDiv(month - 1, 12L);
    int m = (int) Math.floorMod(month - 1, 12L) + 1;
    long march = m > 2 ? y : y - 1;
    long era = Math.floorDiv(march, 400L);
    long yearOfEra = march - era * 400;
    long dayOfYear = (153L * (m > 2 ? m - 3 : m + 9) + 2) / 5;
    long days = era * ERA + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - EPOCH;
    return (days + day - 1) * DAY + hour * HOUR + minute * 60 + second;
  }

  /** The moment at which the clocks of a time zone show so many seconds from 1970. */
  static long moment(long clock, ZoneId zone) {
    long near = Math.clamp(clock, LEAST, MOST);
    LocalDateTime local = LocalDateTime.ofEpochSecond(near, 0, ZoneOffset.UTC);
    ZoneRules rules = zone.getRules();
    ZoneOffsetTransition change = rules.getTransition(local);
    ZoneOffset offset = change == null ? rules.getOffset(local) : change.getOffsetBefore();
    return clock - offset.getTotalSeconds();
  }

  /** The same, where a script says whether daylight saving time is in force. */
  static long moment(long clock, ZoneId zone, boolean daylightSaving) {
    long usual = moment(clock, zone);
    ZoneOffset offset = zone.getRules().getStandardOffset(instant(usual));
    return clock - offset.getTotalSeconds() - (daylightSaving ? HOUR : 0);
  }

  /** The week of the year, from the first day of the week that is given (0 for Sunday) on. */
  int week(int firstDay) {
    return (yearDay + 7 - (weekDay - firstDay + 7) % 7) / 7;
  }

  /** The week of ISO 8601. */
  int isoWeek() {
    int week = (yearDay - isoDay() + 11) / 7;
    if (week < 1) {
      return weeks(year - 1);
    }
    return week > weeks(year) ? 1 : week;
  }

  /** The year that the week of ISO 8601 is in. */
  long isoYear() {
    int week = (yearDay - isoDay() + 11) / 7;
    return week < 1 ? year - 1 : week > weeks(year) ? year + 1 : year;
  }

  /** The day of the week, from 1 for Monday. */
  int isoDay() {
    return weekDay == 0 ? 7 : weekDay;
  }

  private static int weeks(long y) {
    return lastDay(y) == 4 || lastDay(y - 1) == 3 ? 53 : 52;
  }

  /** The day of the week of the last day of a year. */
  private static long lastDay(long y) {
    return Math.floorMod(
        y + Math.floorDiv(y, 4L) - Math.floorDiv(y, 100L) + Math.floorDiv(y, 400L), 7L);
  }
}
