package dev.gleaner.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A request for memory that was refused for good, as the Flight Recorder sees it. */
@Name("dev.gleaner.HeapExhausted")
@Label("Heap Exhausted")
@Category("Gleaner")
@Description("A request for memory that was refused for good")
@StackTrace(true)
final class ExhaustionJfrEvent extends Event {

  @Label("Heap")
  @Nullable String heap;

  @Label("Collector")
  @Nullable String collector;

  @Label("Requested")
  @DataAmount
  long requested;

  @Label("Used")
  @DataAmount
  long used;

  @Label("Limit")
  @DataAmount
  long limit;
}
