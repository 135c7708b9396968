package dev.gleaner.kit.collector;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.spi.HeapContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds stores that the collector was not told of.
 *
 * <p>After a collection it remembers which references each element held; before the next one, every
 * reference that is held no more must have been told of. What threads hold on their stacks changes
 * without a barrier, so they are left out.
 */
final class BarrierCheck {
  private final Memory memory;
  private final Map<Long, List<Long>> held = new HashMap<>();
  private final Set<Long> told = new HashSet<>();
  private @Nullable String violation;

  BarrierCheck(HeapContext context) {
    memory = context.memory();
  }

  void told(long oldValue) {
    told.add(oldValue);
  }

  /** What was found first, or null. */
  @Nullable String violation() {
    return violation;
  }

  /** Remembers what all elements hold. */
  void remember(Consumer<OffsetVisitor> elements) {
    held.clear();
    told.clear();
    elements.accept(e -> {
      if (Layout.kind(memory.get(e)) != Layout.THREAD) {
        held.put(e, references(e));
      }
    });
  }

  /** Compares with what they hold now; nothing moved since. */
  void compare(Consumer<OffsetVisitor> elements) {
    elements.accept(e -> {
      List<Long> before = held.get(e);
      if (before != null && violation == null) {
        List<Long> lost = new ArrayList<>(before);
        references(e).forEach(lost::remove);
        lost.removeAll(told);
        if (!lost.isEmpty()) {
          violation =
              Layout.kindOf(Layout.kind(memory.get(e)))
                  + " held a reference to a "
                  + Layout.kindOf(Layout.kind(memory.get(lost.getFirst())))
                  + ", which was overwritten without a barrier";
        }
      }
    });
  }

  private List<Long> references(long element) {
    List<Long> found = new ArrayList<>();
    Scanner.forEachPlace(
        memory,
        element,
        place -> {
          long v = memory.get(place);
          if (Values.isReference(v)) {
            found.add(v);
          }
        });
    return found;
  }
}
