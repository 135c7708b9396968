package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.space.PauseClock;
import dev.gleaner.spi.Capability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whatever stops the program is told to listeners, and is in the figures. */
record PauseRules(Config config, List<ClassLoader> loaders) {
  private static final int MANY = 20_000;
  private static final int FEW = PauseClock.SMALL / 2;

  PauseRules {
    config = ConfigFactory.parseString("gleaner.voluntary.enabled = false").withFallback(config);
  }

  List<Rule> all() {
    return List.of(
        PluginRules.onHeap(
            "pauses",
            "are told to listeners, and are in the figures",
            config,
            loaders,
            PauseRules::check));
  }

  private static final class Told implements HeapListener {
    long nanos;
    long dropped;
    int drops;

    @Override
    public void collectionFinished(CollectionEvent event) {
      nanos += event.pauseNanos();
    }

    @Override
    public void paused(CollectionEvent event) {
      nanos += event.pauseNanos();
      if (event.mode() == Mode.DROP && !event.collectionFinished()) {
        dropped += event.reclaimedElements();
        drops++;
      }
    }
  }

  private static @Nullable String check(Heap heap) {
    Told told = new Told();
    long before = heap.statistics().pauseNanos();
    heap.addListener(told);
    Mutator t = heap.mutator();
    t.enter(4);
    boolean prompt = heap.traits().has(Capability.PROMPT);
    list(t, FEW);
    t.setNull(0);
    if (prompt && told.drops > 0) {
      return "expected that a drop of " + FEW + " elements needs no clock";
    }
    for (int i = 1; i <= 3; i++) {
      list(t, MANY);
      t.setNull(0);
      if (prompt && (told.drops != i || told.dropped < (long) i * MANY)) {
        return "expected %d drops of %d elements each, found %d of %d in all"
            .formatted(i, MANY, told.drops, told.dropped);
      }
    }
    heap.collect();
    heap.removeListener(told);
    long counted = heap.statistics().pauseNanos() - before;
    return counted == told.nanos
        ? null
        : "expected pauses of %d ns in all, as listeners are told, found %d"
            .formatted(told.nanos, counted);
  }

  private static void list(Mutator t, int n) {
    t.setNull(0);
    for (int i = 0; i < n; i++) {
      t.newRecord(1, 2);
      t.store(1, 1, 0);
      t.copy(0, 1);
    }
    t.setNull(1);
  }
}
