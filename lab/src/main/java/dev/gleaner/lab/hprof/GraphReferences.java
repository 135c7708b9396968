package dev.gleaner.lab.hprof;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The third pass over a dump for an {@link ObjectGraph}, in the order of the second: its
 * references.
 */
final class GraphReferences implements HprofVisitor {
  private static final String REFERENCE = "java.lang.ref.Reference";
  private static final Set<String> WEAK =
      Set.of("java.lang.ref.WeakReference", "java.lang.ref.PhantomReference");
  private static final int STRONG = -1;

  final int[] first;
  final IntList targets = new IntList();
  private final ClassLayouts layouts;
  private final DumpNames names;
  private final IdMap numbers;

  /** By class: whether an instance's reference to it is worth having. */
  private final boolean[] rooted;

  /** By class: where the referent is that nothing is held by, or {@link #STRONG}; null: unknown. */
  private final @Nullable Integer[] referents;

  /** By class: whether it is a weak or phantom reference; see {@link ClassLayouts#isUnder}. */
  private final byte[] weak;

  private int count;

  GraphReferences(DumpSurvey survey, GraphObjects objects) {
    first = new int[objects.ids.length + 1];
    layouts = survey.layouts();
    names = survey.names();
    numbers = objects.numbers;
    rooted = new boolean[layouts.size()];
    weak = new byte[layouts.size()];
    referents = new @Nullable Integer[layouts.size()];
    for (long id : survey.roots()) {
      int c = layouts.number(id);
      if (c >= 0) {
        rooted[c] = true;
      }
    }
  }

  @Override
  public void classDump(HprofClass dumped) {
    for (long id : dumped.references()) {
      refer(id);
    }
    next();
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    int c = layouts.number(classId);
    ClassLayouts.Layout layout = layouts.get(classId);
    if (c < 0 || layout == null) {
      throw in.unusable("was changed while it was read");
    }
    if (!rooted[c]) {
      refer(classId);
    }
    int skipped = referent(c);
    long start = in.position();
    for (int offset : layout.references()) {
      if (offset != skipped) {
        in.skip(start + offset - in.position());
        refer(in.id());
      }
    }
    next();
  }

  private int referent(int c) {
    Integer known = referents[c];
    if (known == null) {
      known = findReferent(c);
      referents[c] = known;
    }
    return known;
  }

  private int findReferent(int c) {
    int[] found = {STRONG};
    layouts.forEachField(
        c,
        (owner, index, offset) -> {
          if (names.isReferent(owner.fieldNames()[index])
              && names.className(owner.id()).equals(REFERENCE)) {
            found[0] = offset;
          }
        });
    return found[0] != STRONG
            && layouts.isUnder(c, weak, at -> WEAK.contains(names.className(at.id())))
        ? found[0]
        : STRONG;
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    for (int i = 0; i < length; i++) {
      refer(in.id());
    }
    next();
  }

  @Override
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    next();
  }

  private void refer(long id) {
    int target = id == 0 ? -1 : numbers.get(id);
    if (target >= 0) {
      targets.add(target);
    }
  }

  private void next() {
    first[++count] = targets.size();
  }
}
