package dev.gleaner.lab.hprof;

import java.util.Arrays;

/** The first pass over a heap dump: how many objects there are, their classes, and the roots. */
final class DumpSurvey implements HprofVisitor {
  private static final HprofRoot[] ROOT_KINDS = HprofRoot.values();

  private final ClassLayouts layouts = new ClassLayouts();
  private final DumpNames names = new DumpNames();
  private long objects;
  private long[] roots = new long[1024];
  private byte[] rootKinds = new byte[1024];
  private int rootCount;

  ClassLayouts layouts() {
    return layouts;
  }

  /** Returns the classes' names; their texts are read by another pass. */
  DumpNames names() {
    return names;
  }

  long objects() {
    return objects;
  }

  /** Returns the identifiers that roots refer to, with repetitions. */
  long[] roots() {
    return Arrays.copyOf(roots, rootCount);
  }

  /** Returns the kind of the i-th root, in the order of {@link #roots}. */
  HprofRoot rootKind(int i) {
    return ROOT_KINDS[rootKinds[i]];
  }

  @Override
  public void classLoaded(long classId, long nameId) {
    names.classLoaded(classId, nameId);
  }

  @Override
  @SuppressWarnings("EnumOrdinal") // read back by rootKind
  public void root(HprofRoot kind, long id) {
    if (rootCount == roots.length) {
      roots = Arrays.copyOf(roots, 2 * rootCount);
      rootKinds = Arrays.copyOf(rootKinds, 2 * rootCount);
    }
    rootKinds[rootCount] = (byte) kind.ordinal();
    roots[rootCount++] = id;
  }

  @Override
  public void classDump(HprofClass dumped) {
    objects++;
    layouts.add(dumped);
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    objects++;
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    objects++;
  }

  @Override
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    objects++;
  }
}
