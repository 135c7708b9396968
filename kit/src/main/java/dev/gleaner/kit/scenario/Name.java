package dev.gleaner.kit.scenario;

/** What {@code drop} forgets. */
sealed interface Name permits Place.Local, Place.Global, Name.Weak {

  /** The name without its sign. */
  String name();

  /**
   * A weak reference; as a value its referent, null when cleared.
   *
   * @param index among the scenario's weak references
   */
  record Weak(String name, int index) implements Name, Value {
    @Override
    public String toString() {
      return "~" + name;
    }
  }
}
