package dev.gleaner.lua.machine;

import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;

/**
 * The function collectgarbage. The heap decides when to collect, so modes and parameters are only
 * kept, and returned as lua5.4 returns them.
 */
final class GarbageOptions {
  private static final double KIB = 1024;

  /** A parameter is kept as a byte, in quarters. */
  private static final int QUARTERS = 4;

  private final Machine machine;
  private boolean stopped;
  private boolean incremental;

  /** The bytes that were gone when the collector was stopped. */
  private long before;

  /** The bytes of steps since the last collection. */
  private long paid;

  private int pause = 200;
  private int multiplier = 100;

  GarbageOptions(Machine machine) {
    this.machine = machine;
    machine.keep("collectgarbage", this::modes, this::setModes);
  }

  /** Returns the modes and parameters. */
  private long[] modes() {
    return new long[] {stopped ? 1 : 0, incremental ? 1 : 0, pause, multiplier};
  }

  private void setModes(long[] modes) {
    if (modes.length == 4) {
      stopped = modes[0] != 0;
      incremental = modes[1] != 0;
      pause = kept(modes[2]);
      multiplier = kept(modes[3]);
    }
  }

  int collectgarbage(Arguments a) {
    String option = a.option(1, "collect");
    Mutator t = a.mutator();
    int x = a.scratch(1);
    boolean valid = !machine.finalizers().areRunning();
    switch (option) {
      case "collect" -> {
        if (valid) {
          collect();
          t.set(x, Values.ofInt(0));
        }
      }
      case "step" -> {
        long size = (int) a.optInteger(2, 0);
        if (valid) {
          t.set(x, Values.ofBoolean(step(size)));
        }
      }
      case "count" -> t.set(x, Values.ofDouble(counted() / KIB));
      case "isrunning" -> t.set(x, Values.ofBoolean(!stopped));
      case "stop", "restart" -> {
        if (valid) {
          stopped = option.equals("stop");
          HeapStatistics figures = machine.heap().statistics();
          before = figures.allocatedBytes() - figures.usedBytes();
        }
        machine.setInteger(x, 0);
      }
      case "setpause" -> {
        machine.setInteger(x, pause);
        pause = kept(a.optInteger(2, 0));
      }
      case "setstepmul" -> {
        machine.setInteger(x, multiplier);
        multiplier = kept(a.optInteger(2, 0));
      }
      case "generational", "incremental" -> {
        boolean becomes = option.equals("incremental");
        int first = (int) a.optInteger(2, 0);
        int second = (int) a.optInteger(3, 0);
        if (becomes) {
          long _ = a.optInteger(4, 0);
          pause = first == 0 ? pause : kept(first);
          multiplier = second == 0 ? multiplier : kept(second);
        }
        machine.setString(x, incremental ? "incremental" : "generational");
        incremental = valid ? becomes : incremental;
      }
      default -> throw a.optionError(1, option);
    }
    if (!valid) {
      t.set(x, Values.UNDEFINED); // as lua5.4, in a finalizer
    }
    return a.one(x);
  }

  private static int kept(long value) {
    return ((int) value / QUARTERS & 255) * QUARTERS;
  }

  /** Returns the bytes in use; while the collector is stopped, with what is gone since the stop. */
  private long counted() {
    HeapStatistics figures = machine.heap().statistics();
    return stopped ? Math.max(figures.allocatedBytes() - before, 0) : figures.usedBytes();
  }

  /**
   * Goes a step of some KiB. The heap collects in one go: once steps add up to what is in use, or
   * at each one in the generational mode, or where none has a size.
   *
   * @return whether a cycle has ended
   */
  private boolean step(long size) {
    paid += Math.max(size, 0) * (long) KIB;
    if (incremental && size != 0 && paid < machine.heap().statistics().usedBytes()) {
      return false;
    }
    paid = 0;
    collect();
    return incremental;
  }

  private void collect() {
    machine.work(Limits.collectionSteps(machine.heap().statistics().usedBytes()));
    machine.heap().collect();
  }
}
