package dev.gleaner.it;

import dev.gleaner.heap.AllocationFunctionsFactory;
import dev.gleaner.heap.Heap;
import org.jspecify.annotations.Nullable;

/** The settings that random programs run under. */
enum Variant {
  PLAIN("", 400),
  TORTURE("torture.gc = every-allocation", 150),
  TORTURE_SOME("torture.gc = 7", 250),
  TORTURE_FINALIZERS("torture { gc = 5, finalizers = on }", 200),
  INCREMENTAL("incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }", 400),
  INCREMENTAL_LONG("incremental { enabled = true, slice = 20us, allocations-per-slice = 20 }", 400),
  VERIFY("verify = after-collection", 250),
  GROWN("memory { backing = grown, initial = 0 }", 400),
  GROWN_INCREMENTAL(
      "memory { backing = grown, initial = 0 }, incremental { enabled = true, slice = 1us }", 300),
  FINALIZERS_OFF("finalizers = off", 250),
  LITTLE_STACK("mark.recursion-limit = 16, threads.initial-stack-slots = 8", 300),
  OWN_FUNCTIONS("", 300),
  OWN_FUNCTIONS_TORTURE("torture.gc = 3", 200),
  TINY("memory.max = 64KiB, strings.initial = 16", 400),
  SMALL("memory.max = 160KiB, strings.initial = 16, voluntary.enabled = false", 500),
  SMALL_INCREMENTAL(
      "memory.max = 160KiB, strings.initial = 16"
          + ", incremental { enabled = true, slice = 1us, allocations-per-slice = 3 }",
      400);

  private static final String COMMON =
      "memory.max = 64MiB, voluntary { mult = 0.5, add = 40 }, strings.initial = 32\n";

  final int operations;
  final boolean incremental;
  final boolean finalizers;
  final boolean small;
  private final String settings;

  Variant(String settings, int operations) {
    this.settings = settings;
    this.operations = operations;
    incremental = settings.contains("incremental");
    finalizers = !settings.contains("finalizers = off");
    small = settings.contains("KiB");
  }

  Heap open(String collector, @Nullable AllocationFunctionsFactory functions) {
    return Installed.factory(collector, COMMON + settings).open("oracle", functions);
  }

  boolean ownFunctions() {
    return name().startsWith("OWN_FUNCTIONS");
  }
}
