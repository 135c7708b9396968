package dev.gleaner.spi;

/** What a collection must, or must not do (Duktape, "Mark-and-sweep flags"). */
public final class CollectFlags {
  /**
   * Find memory even by expensive means: compact tables, give all free pages back to the system
   * (otherwise those go that stayed free from one collection to the next).
   */
  public static final int EMERGENCY = 1;

  /** Run no finalizers; those that are due wait, and their elements stay. */
  public static final int NO_FINALIZERS = 1 << 1;

  /** Compact no property tables. */
  public static final int NO_OBJECT_COMPACTION = 1 << 2;

  /** Do not resize or rehash the string table. */
  public static final int NO_STRING_TABLE_RESIZE = 1 << 3;

  /**
   * The trigger asked for it, so there is memory: a collector may leave garbage where most is
   * alive. Set by the heap alone.
   */
  public static final int VOLUNTARY = 1 << 4;

  /** All that a program may set. */
  public static final int ALL =
      EMERGENCY | NO_FINALIZERS | NO_OBJECT_COMPACTION | NO_STRING_TABLE_RESIZE;

  private CollectFlags() {}
}
