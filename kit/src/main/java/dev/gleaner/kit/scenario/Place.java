package dev.gleaner.kit.scenario;

/** Where a value can be stored. */
sealed interface Place extends Value
    permits Place.Base, Place.Slot, Place.Property, Place.Prototype {

  /** A place that needs no element. */
  sealed interface Base extends Place permits Local, Global {}

  /**
   * A local of the innermost frame.
   *
   * @param slot of the heap's frame
   */
  record Local(String name, int slot) implements Base, Name {
    @Override
    public int temps() {
      return 0;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * A global root.
   *
   * @param index among the scenario's globals
   */
  record Global(String name, int index) implements Base, Name {
    @Override
    public String toString() {
      return "@" + name;
    }
  }

  /** A reference slot of an element. */
  record Slot(Base of, int index) implements Place {
    @Override
    public int temps() {
      return 1 + of.temps();
    }

    @Override
    public String toString() {
      return of + "." + index;
    }
  }

  /** A property of an object, along its prototypes when read. */
  record Property(Base of, Value key) implements Place {
    @Override
    public int temps() {
      return 2 + of.temps() + key.temps();
    }

    @Override
    public String toString() {
      return of + "[" + key + "]";
    }
  }

  /** The prototype of an object. */
  record Prototype(Base of) implements Place {
    @Override
    public int temps() {
      return 1 + of.temps();
    }

    @Override
    public String toString() {
      return of + ".proto";
    }
  }
}
