package dev.gleaner.kit.scenario;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The locals of one frame, while its block is read.
 *
 * <p>A name gets its slot where it is first seen; until it is assigned it is undefined. So is one
 * of another frame, which is how a scenario shows that it is out of sight. But a name that nothing
 * in the whole scenario assigns is a slip of the pen.
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

  /** Names that any frame of the scenario assigns. */
  private final Set<String> assigned;

  /** Where names were read first that were not assigned before. */
  private final Map<String, Use> unassigned;

  private int inUse;
  private int temps;

  /** Makes the scope of the scenario itself. */
  Scope() {
    kind = Kind.SCENARIO;
    outer = null;
    assigned = new TreeSet<>();
    unassigned = new LinkedHashMap<>();
  }

  /** Makes the scope of a block. */
  Scope(Kind kind, Scope outer) {
    this.kind = kind;
    this.outer = outer;
    this.assigned = outer.assigned;
    this.unassigned = outer.unassigned;
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

  /** A local that no scenario can name. */
  Place.Local hidden() {
    return local("(" + locals.size() + ")");
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

  FrameLayout layout() {
    return new FrameLayout(locals.size(), temps);
  }

  /**
   * Ends the scenario.
   *
   * @throws ScenarioSyntaxException if a name is read that nothing assigns
   */
  void end() {
    for (Use first : unassigned.values()) {
      String expected = "a local that is assigned somewhere; there ";
      throw assigned.isEmpty()
          ? first.line.unexpected(first.token, expected + "is none")
          : first.line.unexpected(
              first.token, expected + (assigned.size() == 1 ? "is only " : "are "), assigned);
    }
  }
}
