package dev.gleaner.lab.hprof;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an instance of each class keeps its references.
 *
 * <p>An instance's bytes are the fields of its class, then those of the superclass, and so on;
 * inside, every value has the size of its type, without padding.
 */
final class ClassLayouts {
  private final IdMap numbers = new IdMap(1000);
  private final List<HprofClass> classes = new ArrayList<>();
  private final List<@Nullable Layout> layouts = new ArrayList<>();

  /**
   * The layout of a class's instances.
   *
   * @param references the offsets of the references, ascending
   * @param bytes of all fields
   * @param primitiveBytes of the fields that are no references
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Layout(int[] references, int bytes, int primitiveBytes) {}

  void add(HprofClass dumped) {
    numbers.put(dumped.id(), classes.size());
    classes.add(dumped);
    layouts.add(null);
  }

  /** Returns the layout, or null if the class or one of its superclasses is not in the dump. */
  @Nullable Layout get(long classId) {
    int number = numbers.get(classId);
    if (number < 0) {
      return null;
    }
    Layout layout = layouts.get(number);
    if (layout == null) {
      layout = compute(number);
      layouts.set(number, layout);
    }
    return layout;
  }

  private @Nullable Layout compute(int first) {
    int[] references = new int[16];
    int count = 0;
    int bytes = 0;
    int idSize = classes.get(first).idSize();
    int number = first;
    // A chain of superclasses longer than there are classes would be a circle.
    for (int depth = 0; depth <= classes.size(); depth++) {
      HprofClass at = classes.get(number);
      for (HprofType type : at.fields()) {
        if (type == HprofType.OBJECT) {
          if (count == references.length) {
            references = Arrays.copyOf(references, 2 * count);
          }
          references[count++] = bytes;
        }
        bytes += type.bytes(idSize);
      }
      if (at.superId() == 0) {
        return new Layout(Arrays.copyOf(references, count), bytes, bytes - count * idSize);
      }
      number = numbers.get(at.superId());
      if (number < 0) {
        return null;
      }
    }
    return null;
  }
}
