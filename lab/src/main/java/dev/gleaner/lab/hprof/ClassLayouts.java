package dev.gleaner.lab.hprof;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

  /** Told of a field of a class's instances. */
  @FunctionalInterface
  interface FieldVisitor {
    /**
     * Visits a field.
     *
     * @param owner the class, or that one of its superclasses which has the field
     * @param index of the field in it
     * @param offset of the field's value in an instance's bytes
     */
    void field(HprofClass owner, int index, int offset);
  }

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

  /**
   * Returns the layout of an instance.
   *
   * @throws HprofException if its class is not in the dump, or has other fields
   */
  Layout check(long classId, long bytes, HprofInput in) {
    Layout layout = get(classId);
    if (layout == null) {
      throw in.damaged(
          in.position(), "an instance of class %#x, which is not in the dump".formatted(classId));
    }
    if (layout.bytes() != bytes) {
      throw in.damaged(
          in.position(),
          "an instance of %d bytes, but its class has fields of %d"
              .formatted(bytes, layout.bytes()));
    }
    return layout;
  }

  /** Returns how many classes there are. */
  int size() {
    return classes.size();
  }

  /** Returns a class's number in the order of the file, or -1 if it is not in the dump. */
  int number(long classId) {
    return numbers.get(classId);
  }

  HprofClass dumped(int number) {
    return classes.get(number);
  }

  private @Nullable Layout compute(int first) {
    if (!isWhole(first)) {
      return null;
    }
    IntList references = new IntList();
    int[] bytes = new int[1];
    int idSize = classes.get(first).idSize();
    forEachField(
        first,
        (owner, index, offset) -> {
          if (owner.fields()[index] == HprofType.OBJECT) {
            references.add(offset);
          }
          bytes[0] = offset + owner.fields()[index].bytes(idSize);
        });
    int[] offsets = references.toArray();
    return new Layout(offsets, bytes[0], bytes[0] - offsets.length * idSize);
  }

  /** Whether all superclasses are in the dump, and do not go in a circle. */
  private boolean isWhole(int first) {
    int number = first;
    for (int depth = 0; depth <= classes.size(); depth++) {
      if (classes.get(number).superId() == 0) {
        return true;
      }
      number = numbers.get(classes.get(number).superId());
      if (number < 0) {
        return false;
      }
    }
    return false;
  }

  /** Visits the fields of the instances of a class that has a layout, in the order of the bytes. */
  void forEachField(int first, FieldVisitor visitor) {
    int[] bytes = new int[1];
    forEachClass(
        first,
        at -> {
          for (int i = 0; i < at.fields().length; i++) {
            visitor.field(at, i, bytes[0]);
            bytes[0] += at.fields()[i].bytes(at.idSize());
          }
        });
  }

  /** Visits a class that has a layout, its superclass, and so on. */
  void forEachClass(int first, Consumer<HprofClass> visitor) {
    for (int number = first; number >= 0; ) {
      HprofClass at = classes.get(number);
      visitor.accept(at);
      number = at.superId() == 0 ? -1 : numbers.get(at.superId());
    }
  }
}
