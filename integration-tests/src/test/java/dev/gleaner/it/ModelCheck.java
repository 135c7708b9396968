package dev.gleaner.it;

import java.util.List;
import java.util.stream.Stream;

/** Random programs under a collector of a plug-in, against the model. */
final class ModelCheck {
  private static final int PROGRAMS = 5;

  private ModelCheck() {}

  /** The settings that make sense for a collector that is not incremental. */
  static List<Variant> variants() {
    return Stream.of(Variant.values()).filter(v -> !v.incremental).toList();
  }

  /** Runs some programs; the thread's context loader leads to the plug-in. */
  static void run(String collector, Variant variant, ClassLoader plugins) {
    Thread thread = Thread.currentThread();
    ClassLoader outer = thread.getContextClassLoader();
    thread.setContextClassLoader(plugins);
    try {
      for (int i = 0; i < PROGRAMS; i++) {
        long seed = Dice.seed() * 1_000_003 + i;
        if (variant.ownFunctions()) {
          RandomProgram.run(collector, variant, seed, d -> new MovingFunctions(d, seed));
        } else {
          RandomProgram.run(collector, variant, seed, null);
        }
      }
    } finally {
      thread.setContextClassLoader(outer);
    }
  }
}
