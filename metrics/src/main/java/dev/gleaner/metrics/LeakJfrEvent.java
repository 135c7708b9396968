package dev.gleaner.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** What a heap had leaked when it was closed, as the Flight Recorder sees it. */
@Name("dev.gleaner.Leak")
@Label("Leak")
@Category("Gleaner")
@Description("What a heap had leaked when it was closed")
@StackTrace(false)
final class LeakJfrEvent extends Event {

  @Label("Heap")
  @Nullable String heap;

  @Label("Collector")
  @Nullable String collector;

  @Label("Elements")
  long elements;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Sample")
  @Description("One loop of what leaked, a step a line")
  @Nullable String sample;
}
