package dev.gleaner.lab.hprof;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where an instance of each class keeps its references.
 *
 * <p>An instance's bytes are the fields of its class, then those of the superclass, and so on;
 * inside, every value has the size of its type, without padding.
 */
final class ClassLayouts {
  /** No class has fields. */
  private static final int NONE = -1;

  /** Not found out yet. */
  private static final int UNKNOWN = -2;

  /** A superclass is missing, or the class is its own superclass. */
  private static final int BROKEN = -3;

  private final IdMap numbers = new IdMap(1000);
  private final List<HprofClass> classes = new ArrayList<>();
  private final List<@Nullable Layout> layouts = new ArrayList<>();

  /**
   * By class: itself if it has fields, else the nearest superclass that has some, or {@link #NONE}.
   * Chains of classes without fields may be as long as the file.
   */
  private final List<Integer> withFields = new ArrayList<>();

  private long steps;

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
    withFields.add(UNKNOWN);
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
    if (withFields(first) == BROKEN) {
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

  /**
   * Finds the nearest class with fields, for all classes on the way. A class that is met again on
   * its own way is broken, as is one that is not in the dump.
   */
  private int withFields(int first) {
    IntList way = new IntList();
    int at = first;
    while (at >= 0 && withFields.get(at) == UNKNOWN) {
      withFields.set(at, BROKEN);
      way.add(at);
      at = superclass(at);
      steps++;
    }
    int found = at < 0 ? at : withFields.get(at);
    for (int i = way.size() - 1; i >= 0; i--) {
      int number = way.get(i);
      found = found != BROKEN && classes.get(number).fields().length > 0 ? number : found;
      withFields.set(number, found);
    }
    return withFields.get(first);
  }

  /** Returns a class's superclass; {@link #NONE} or {@link #BROKEN} if there is none. */
  private int superclass(int number) {
    long id = classes.get(number).superId();
    int found = id == 0 ? NONE : numbers.get(id);
    return id != 0 && found < 0 ? BROKEN : found;
  }

  /** Visits the fields of the instances of a class that has a layout, in the order of the bytes. */
  void forEachField(int first, FieldVisitor visitor) {
    int bytes = 0;
    for (int at = withFields(first); at >= 0; at = superclassWithFields(at)) {
      HprofClass owner = classes.get(at);
      for (int i = 0; i < owner.fields().length; i++) {
        visitor.field(owner, i, bytes);
        bytes += owner.fields()[i].bytes(owner.idSize());
      }
      steps++;
    }
  }

  private int superclassWithFields(int number) {
    int above = superclass(number);
    return above < 0 ? above : withFields(above);
  }

  /**
   * Whether a class that has a layout, or one of its superclasses, is of a kind.
   *
   * @param known by class: 1 if so, -1 if not, 0 where nothing is known yet
   */
  boolean isUnder(int first, byte[] known, Predicate<HprofClass> kind) {
    IntList way = new IntList();
    int at = first;
    while (at >= 0 && known[at] == 0) {
      known[at] = kind.test(classes.get(at)) ? (byte) 1 : -1;
      way.add(at);
      steps++;
      at = known[at] > 0 ? NONE : superclass(at);
    }
    boolean under = way.size() > 0 && known[way.get(way.size() - 1)] > 0;
    under |= at >= 0 && known[at] > 0;
    for (int i = 0; under && i < way.size(); i++) {
      known[way.get(i)] = 1;
    }
    return known[first] > 0;
  }

  /** Returns how many classes were visited in all, for tests. */
  long steps() {
    return steps;
  }
}
