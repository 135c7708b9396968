package dev.gleaner.lab.hprof;

import java.nio.file.Path;
import java.util.Locale;

/**
 * The second pass over a dump for an {@link ObjectGraph}: numbers the objects.
 *
 * <p>Objects are counted in rows, one for each class in the order of the dump, and beyond those one
 * for each type of primitive arrays, for classes, and for arrays whose class is not in the dump.
 */
final class GraphObjects implements HprofVisitor {
  private static final HprofType[] TYPES = HprofType.values();
  private static final int CLASSES = TYPES.length;
  private static final int UNKNOWN = CLASSES + 1;
  static final int EXTRA_ROWS = UNKNOWN + 1;

  final IdMap numbers;
  final long[] ids;
  final int[] rows;
  final long[] sizes;
  private final ClassLayouts layouts;
  private final DumpNames names;
  private int count;

  GraphObjects(DumpSurvey survey) {
    int objects = (int) survey.objects();
    layouts = survey.layouts();
    names = survey.names();
    numbers = new IdMap(objects);
    ids = new long[objects];
    rows = new int[objects];
    sizes = new long[objects];
  }

  /** Returns the name of a row beyond those of the dump's classes. */
  static String extraName(int extra) {
    if (extra == CLASSES) {
      return "java.lang.Class";
    }
    return extra == UNKNOWN
        ? "(array of a class that is not in the dump)"
        : TYPES[extra].name().toLowerCase(Locale.ROOT) + "[]";
  }

  /** Checks that the file still had what the first pass found. */
  void checkComplete(Path file) {
    if (count != ids.length) {
      throw new HprofException(file + ": was changed while it was read");
    }
  }

  @Override
  public void name(long id, HprofInput in) {
    names.name(id, in);
  }

  @Override
  public void classDump(HprofClass dumped) {
    long references = (long) dumped.references().length * dumped.idSize();
    add(
        dumped.id(),
        layouts.size() + CLASSES,
        2L * dumped.idSize() + references + dumped.staticBytes());
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    ClassLayouts.Layout _ = layouts.check(classId, bytes, in);
    add(id, layouts.number(classId), 2L * in.idSize() + bytes);
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    int row = layouts.number(classId);
    add(id, row < 0 ? layouts.size() + UNKNOWN : row, array(in, (long) length * in.idSize()));
  }

  @Override
  @SuppressWarnings("EnumOrdinal") // extraName reads it back
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    add(id, layouts.size() + type.ordinal(), array(in, (long) length * type.bytes(in.idSize())));
  }

  private static long array(HprofInput in, long bytes) {
    return 2L * in.idSize() + ObjectGraph.ARRAY_HEADER + bytes;
  }

  private void add(long id, int row, long size) {
    if (count == ids.length) {
      throw new HprofException("the file was changed while it was read");
    }
    ids[count] = id;
    rows[count] = row;
    sizes[count] = size;
    numbers.put(id, count++);
  }
}
