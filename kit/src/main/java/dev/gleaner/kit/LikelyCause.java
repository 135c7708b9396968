package dev.gleaner.kit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apiguardian.api.API;

/**
 * What part of a collector is probably wrong, to judge by the rule that does not hold and by what
 * was found: a place to begin at, and no more.
 *
 * <p>The order is that in which to look: a fault further up makes rules fail whose messages are
 * about what is further down.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum LikelyCause {
  /** A root was not visited, or its new place not taken. */
  ROOTS("roots", "context.roots(), the built-ins and what they hold"),

  /** What was stored while it marked, or into what is old, was not noted. */
  BARRIER("barrier", "beforeStore and afterStore, what is remembered, what is born marked or old"),

  /** A reference leads to where the element was, or an element did not fit where it was to go. */
  MOVING("moving", "forwarding, Scanner.forEachPlace, context.relocate, elements that must stay"),

  /** Strings, weak references, finalizers, identity hashes, or what the dead own. */
  WEAK("weak processing", "finalizers, then context.sweepWeak, then context.relocate; release"),

  /** Something dead stayed, or something that can be reached went. */
  LIVENESS("liveness", "what is traced, and what is swept"),

  /** Figures, the limit, and memory that is not given back. */
  ACCOUNTING("accounting", "the budget, figures, tidy, retire, close"),

  /** None of these. */
  OTHER("other", "the messages");

  private static final Pattern BAD_REFERENCE =
      Pattern.compile("refers to \\d+, which is no element");

  private static final Pattern MOVED =
      Pattern.compile("for a copy|new place|pinned|\\bmoved\\b|expected hash|the hash of");

  private static final Pattern WEAKLY_HELD =
      Pattern.compile(
          "finaliz|weak reference|string table|string access cache|identity hash|strings, "
              + "|natives?\\b|on-free|cleared|\\bheld\\b|\\bcalls\\b|is no string|told of");

  private static final Pattern FIGURE =
      Pattern.compile(
          "\\bused\\b|\\bbytes\\b|\\bblocks\\b|the collector counts|room for|limit|gleaner\\.[a-z]"
              + "|gave back|references, its count is");

  private static final Pattern NUMBER_ALIVE =
      Pattern.compile("expected alive|\\d+ of [A-Z_]+, expected|to go|to be gone|reclaimed");

  private final String text;
  private final String look;

  LikelyCause(String text, String look) {
    this.text = text;
    this.look = look;
  }

  /**
   * Judges a failure.
   *
   * @param rule its name; empty if there is none
   * @param message what was expected and what was found
   * @return the likely cause
   */
  public static LikelyCause of(String rule, String message) {
    if (rule.startsWith("minor ")
        || rule.startsWith("slices ")
        || rule.endsWith(", in slices")
        || message.contains("unremembered")) {
      return BARRIER;
    }
    boolean plain = !rule.toUpperCase(Locale.ROOT).contains("INCREMENTAL");
    if (message.contains("root, ") || rule.contains("keeps built-ins")) {
      return plain ? ROOTS : BARRIER;
    }
    if (BAD_REFERENCE.matcher(message).find()) {
      return plain ? MOVING : BARRIER;
    }
    if (MOVED.matcher(message).find()) {
      return MOVING;
    }
    if (WEAKLY_HELD.matcher(message).find()) {
      return WEAK;
    }
    if (FIGURE.matcher(message).find()) {
      return ACCOUNTING;
    }
    return NUMBER_ALIVE.matcher(message).find() ? LIVENESS : OTHER;
  }

  /**
   * Groups the failures of one collector. Where a rule fails in slices or under torture as it does
   * without, it is the same failure; so it is in the same group.
   *
   * @param verdicts of which those that failed count
   * @return the groups in the order of this enum, in each the most telling failure first: a damaged
   *     place, then what few operations show, at last random programs
   */
  public static Map<LikelyCause, List<Verdict>> group(Collection<Verdict> verdicts) {
    Map<String, Verdict> failed = new LinkedHashMap<>();
    for (Verdict verdict : verdicts) {
      if (verdict.status() == Verdict.Status.FAILED) {
        failed.put(verdict.rule(), verdict);
      }
    }
    Map<LikelyCause, List<Verdict>> groups = new EnumMap<>(LikelyCause.class);
    for (Verdict verdict : failed.values()) {
      Verdict plain = failed.getOrDefault(plain(verdict.rule()), verdict);
      groups
          .computeIfAbsent(of(plain.rule(), plain.message()), cause -> new ArrayList<>())
          .add(verdict);
    }
    groups.values().forEach(group -> group.sort(Comparator.comparingInt(LikelyCause::operations)));
    return groups;
  }

  /** The rule without slices and torture. */
  private static String plain(String rule) {
    return rule.startsWith("oracle ")
        ? "oracle PLAIN"
        : rule.replaceFirst(", (in slices|under torture)$", "");
  }

  /** How much happens before such a failure, in steps. */
  private static int operations(Verdict verdict) {
    String rule = verdict.rule();
    if (BAD_REFERENCE.matcher(verdict.message()).find()) {
      return 0;
    }
    if (rule.startsWith("oracle ")) {
      return 4;
    }
    return !rule.startsWith("scenario ") ? 1 : rule.equals(plain(rule)) ? 2 : 3;
  }

  /**
   * {@return whether one fault can show as both} What is not reached may be missed as a root, as a
   * figure, or as a reference that leads nowhere; it is no matter of what is weak, or of bytes.
   *
   * @param other of another failure
   */
  public boolean resembles(LikelyCause other) {
    return this == other || (isAboutReach() && other.isAboutReach());
  }

  private boolean isAboutReach() {
    return this != WEAK && this != ACCOUNTING;
  }

  /** {@return where to look for it, in a few words} */
  public String look() {
    return look;
  }

  /** {@return its name as people write it, such as {@code weak processing}} */
  @Override
  public String toString() {
    return text;
  }
}
