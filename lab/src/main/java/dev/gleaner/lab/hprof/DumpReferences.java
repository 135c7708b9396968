package dev.gleaner.lab.hprof;

import dev.gleaner.heap.Mutator;

/**
 * The third pass over a heap dump, in the same order as the second: stores the references into the
 * elements that {@link DumpElements} made. One to an object that is not in the dump is counted and
 * left out.
 */
final class DumpReferences implements HprofVisitor {
  private final Mutator mutator;
  private final ClassLayouts layouts;
  private final IdMap numbers;
  private int count;
  private long references;
  private long unresolved;

  /** Prepares the pass; the frame of the second one must be current. */
  DumpReferences(Mutator mutator, ClassLayouts layouts, IdMap numbers) {
    this.mutator = mutator;
    this.layouts = layouts;
    this.numbers = numbers;
  }

  /** Returns how many references were stored. */
  long references() {
    return references;
  }

  /** Returns how many references lead to no object. */
  long unresolved() {
    return unresolved;
  }

  @Override
  public void classDump(HprofClass dumped) {
    next();
    long[] ids = dumped.references();
    for (int i = 0; i < ids.length; i++) {
      refer(i, ids[i]);
    }
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    next();
    refer(0, classId);
    ClassLayouts.Layout layout = layouts.get(classId);
    if (layout == null) {
      throw in.unusable("was changed while it was read");
    }
    long start = in.position();
    int[] offsets = layout.references();
    for (int i = 0; i < offsets.length; i++) {
      in.skip(start + offsets[i] - in.position());
      refer(i + 1, in.id());
    }
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    next();
    for (int i = 0; i < length; i++) {
      refer(i, in.id());
    }
  }

  @Override
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    count++;
  }

  private void next() {
    mutator.load(DumpElements.ELEMENT, DumpElements.INDEX, count);
    count++;
  }

  private void refer(int slot, long id) {
    if (id == 0) {
      return;
    }
    int target = numbers.get(id);
    if (target < 0) {
      unresolved++;
      return;
    }
    mutator.load(DumpElements.TARGET, DumpElements.INDEX, target);
    mutator.store(DumpElements.ELEMENT, slot, DumpElements.TARGET);
    references++;
  }
}
