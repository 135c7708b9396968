package dev.gleaner.lab.hprof;

import java.util.Arrays;

/** The first pass over a heap dump: how many objects there are, their classes, and the roots. */
final class DumpSurvey implements HprofVisitor {
  private final ClassLayouts layouts = new ClassLayouts();
  private long objects;
  private long[] roots = new long[1024];
  private int rootCount;

  ClassLayouts layouts() {
    return layouts;
  }

  long objects() {
    return objects;
  }

  /** Returns the identifiers that roots refer to, with repetitions. */
  long[] roots() {
    return Arrays.copyOf(roots, rootCount);
  }

  @Override
  public void root(long id) {
    if (rootCount == roots.length) {
      roots = Arrays.copyOf(roots, 2 * rootCount);
    }
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
