package dev.gleaner.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * A collection, or a slice of one, as the Flight Recorder sees it. It lasts from the start until
 * listeners are told of the end, finalizers that run before that included.
 */
@Name("dev.gleaner.Collection")
@Label("Collection")
@Category("Gleaner")
@Description("A collection of a heap, a slice of an incremental one, or a drop that frees much")
@StackTrace(false)
final class CollectionJfrEvent extends Event {

  @Label("Heap")
  @Nullable String heap;

  @Label("Collector")
  @Nullable String collector;

  @Label("Cause")
  @Nullable String cause;

  @Label("Action")
  @Description("full, minor, slice, or drop, which is told at its end and has no duration")
  @Nullable String action;

  @Label("Phase")
  @Description("What a slice spent most of its time with; empty for all but slices")
  @Nullable String phase;

  @Label("Finished")
  @Description("False for a slice that leaves work")
  boolean finished;

  @Label("Pause")
  @Description("How long the program stood still, finalizers not included")
  @Timespan(Timespan.NANOSECONDS)
  long pause;

  @Label("Used Before")
  @DataAmount
  long usedBefore;

  @Label("Used After")
  @DataAmount
  long usedAfter;

  @Label("Reclaimed Bytes")
  @DataAmount
  long reclaimedBytes;

  @Label("Reclaimed Elements")
  long reclaimedElements;
}
