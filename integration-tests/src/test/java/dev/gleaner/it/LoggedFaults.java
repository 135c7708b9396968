package dev.gleaner.it;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;

/** A heap with a listener that fails, and a guest whose finalizer never ends: both are logged. */
final class LoggedFaults {
  private LoggedFaults() {}

  public static void main(String[] args) {
    Config config = ConfigFactory.load();
    try (Heap heap = Gleaner.factory(config).open("watched")) {
      heap.addListener(
          new HeapListener() {
            @Override
            public void collectionFinished(CollectionEvent event) {
              throw new IllegalStateException("the listener's own");
            }
          });
      heap.collect();
    }
    try (Guest guest = Lua.of(config).open()) {
      guest.run("setmetatable({}, {__gc = function() while true do end end})");
    }
  }
}
