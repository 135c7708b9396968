package dev.gleaner.kit.scenario;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The locals of one frame, while its block is read.
 *
 * <p>A name gets its slot where it is first seen, and must be assigned somewhere in the block: a
 * local that is only read is a slip of the pen. Whether it is assigned before it is read is not
 * looked at; until then it is undefined.
 *
 * <p>The scope also adds up the temporaries of each statement: the largest sum is what the frame
 * needs beside its locals.
 */
final class Scope {
  /** What the block belongs to. */
  enum Kind {
    SCENARIO,
    FRAME,
    FINALIZER
  }

  private record Use(Line line, Token token) {}

  private final Kind kind;
  private final @Nullable Scope outer;
  private final Map<String, Place.Local> locals = new LinkedHashMap<>();
  private final Set<String> assigned = new HashSet<>();
  private final Map<String, Use> unassigned = new LinkedHashMap<>();
  private int inUse;
  private int temps;

  Scope(Kind kind, @Nullable Scope outer) {
    this.kind = kind;
    this.outer = outer;
  }

  @Nullable Scope outer() {
    return outer;
  }

  /** Whether the block is that of a frame, which can be compacted. */
  boolean isFrame() {
    return kind == Kind.FRAME;
  }

  boolean isInFinalizer() {
    return kind == Kind.FINALIZER || (outer != null && outer.isInFinalizer());
  }

  /** The local that is assigned here. */
  Place.Local assign(String name) {
    assigned.add(name);
    unassigned.remove(name);
    return local(name);
  }

  /** The local that is read here. */
  Place.Local read(Token token, Line line) {
    String name = token.text();
    if (!assigned.contains(name)) {
      unassigned.putIfAbsent(name, new Use(line, token));
    }
    return local(name);
  }

  private Place.Local local(String name) {
    return locals.computeIfAbsent(name, n -> new Place.Local(n, locals.size()));
  }

  /** Begins a statement, which has all temporaries to itself. */
  void beginStatement() {
    inUse = 0;
  }

  void useTemps(int n) {
    inUse += n;
    temps = Math.max(temps, inUse);
  }

  /**
   * Ends the block.
   *
   * @throws ScenarioSyntaxException if a local is read that nothing is assigned to
   */
  FrameLayout end() {
    for (Use first : unassigned.values()) {
      String expected = "a local that is assigned in this block; there ";
      throw assigned.isEmpty()
          ? first.line.unexpected(first.token, expected + "is none")
          : first.line.unexpected(first.token, expected + "are ", new TreeSet<>(assigned));
    }
    return new FrameLayout(locals.size(), temps);
  }
}
