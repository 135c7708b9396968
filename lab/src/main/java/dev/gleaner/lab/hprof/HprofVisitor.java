package dev.gleaner.lab.hprof;

/**
 * Is told what is in a heap dump, in the order of the file.
 *
 * <p>Where an input is given it stands at the object's contents; the visitor may read them, some of
 * them, or none.
 */
public interface HprofVisitor {
  /** A name, UTF-8; {@link HprofInput#remaining} says how many bytes. */
  default void name(long id, HprofInput in) {}

  /** A class has a name. */
  default void classLoaded(long classId, long nameId) {}

  /** A GC root refers to an object; several may refer to the same one. */
  default void root(HprofRoot kind, long id) {}

  /** A class, which is an object as well. */
  default void classDump(HprofClass dumped) {}

  /**
   * An instance of a class.
   *
   * @param bytes of its fields, the class's own first, then those of its superclass, and so on
   */
  default void instance(long id, long classId, long bytes, HprofInput in) {}

  /** An array of {@code length} identifiers. */
  default void objectArray(long id, long classId, int length, HprofInput in) {}

  /** An array of {@code length} values of {@code type}. */
  default void primitiveArray(long id, HprofType type, int length, HprofInput in) {}
}
