package dev.gleaner.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A finalizer that threw, as the Flight Recorder sees it. */
@Name("dev.gleaner.FinalizerFailed")
@Label("Finalizer Failed")
@Category("Gleaner")
@Description("A finalizer that threw")
@StackTrace(false)
final class FinalizerJfrEvent extends Event {

  @Label("Heap")
  @Nullable String heap;

  @Label("Collector")
  @Nullable String collector;

  @Label("Label")
  @Nullable String label;

  @Label("Error")
  @Nullable String error;
}
