package dev.gleaner.kit.oracle;

/** Settings that every collector is checked under: shape and timing of a {@link Setup}. */
enum Variant {
  PLAIN("", "", 400),
  TORTURE("", "torture.gc = every-allocation", 150),
  TORTURE_SOME("", "torture { gc = 7, seed = SEED }", 250),
  TORTURE_FINALIZERS("", "torture { gc = 5, seed = SEED, finalizers = on }", 200),
  INCREMENTAL("incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }", "", 400),
  INCREMENTAL_LONG(
      "incremental { enabled = true, slice = 20us, allocations-per-slice = 20 }", "", 400),
  INCREMENTAL_TORTURE(
      "incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }",
      "torture { gc = 31, seed = SEED, finalizers = on }",
      250),
  VERIFY("verify = after-collection", "", 250),
  VERIFY_TORTURE("verify = after-collection", "torture { gc = 3, seed = SEED }", 150),
  GROWN("memory { backing = grown, initial = 0 }", "", 400),
  GROWN_TORTURE("memory { backing = grown, initial = 0 }", "torture.gc = every-allocation", 150),
  GROWN_INCREMENTAL(
      "memory { backing = grown, initial = 0 }, incremental { enabled = true, slice = 1us }",
      "",
      300),
  FINALIZERS_BY_AGE(
      "finalizer-order = duktape", "torture { gc = 5, seed = SEED, finalizers = on }", 250),
  FINALIZERS_OFF("finalizers = off", "", 250),
  BASE_FLAGS("base-flags = [emergency, no-object-compaction, no-string-table-resize]", "", 300),
  LITTLE_STACK("mark.recursion-limit = 16, threads.initial-stack-slots = 8", "", 300),
  OWN_FUNCTIONS("", "", 300),
  OWN_FUNCTIONS_TORTURE("", "torture { gc = 3, seed = SEED }", 200),
  TINY("strings.initial = 16", "memory.max = 64KiB", 400),
  TINY_TORTURE("strings.initial = 16", "memory.max = 64KiB, torture.gc = every-allocation", 150),
  SMALL("strings.initial = 16", "memory.max = 160KiB, voluntary.enabled = false", 500),
  SMALL_INCREMENTAL(
      "strings.initial = 16"
          + ", incremental { enabled = true, slice = 1us, allocations-per-slice = 3 }",
      "memory.max = 160KiB",
      400);

  private final String shape;
  private final String timing;
  private final int operations;

  Variant(String shape, String timing, int operations) {
    this.shape = shape;
    this.timing = timing;
    this.operations = operations;
  }

  Setup setup() {
    return new Setup(name(), shape, timing, operations, name().startsWith("OWN_FUNCTIONS"));
  }
}
