package dev.gleaner.lab.hprof;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;

/**
 * The second pass over a heap dump: makes an element of every object, and stores it in the index at
 * the object's number.
 *
 * <pre>
 *   class            record: what it refers to, then its static fields of primitive types
 *   instance         record: its class, its references, then its primitive fields
 *   object array     record: its references
 *   other array      buffer: its bytes
 * </pre>
 *
 * <p>Primitive fields take the slots that hold so many bytes, eight in each, and are not copied:
 * what counts is their size.
 */
final class DumpElements implements HprofVisitor {
  static final int INDEX = 0;
  static final int ELEMENT = 1;
  static final int TARGET = 2;
  static final int FRAME = 3;

  /** Elements made in one frame, so that a collector that reclaims by frames can. */
  private static final int BATCH = 100_000;

  private final Mutator mutator;
  private final GlobalRef index;
  private final ClassLayouts layouts;
  private final IdMap numbers;
  private final byte[] piece = new byte[64 << 10];
  private int count;

  /**
   * Prepares the pass; a frame of {@link #FRAME} slots must be current.
   *
   * @param numbers is filled with the objects' numbers
   */
  DumpElements(Mutator mutator, GlobalRef index, ClassLayouts layouts, IdMap numbers) {
    this.mutator = mutator;
    this.index = index;
    this.layouts = layouts;
    this.numbers = numbers;
  }

  @Override
  public void classDump(HprofClass dumped) {
    record(dumped.id(), dumped.references().length + slots(dumped.staticBytes()));
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    ClassLayouts.Layout layout = layouts.check(classId, bytes, in);
    record(id, 1 + layout.references().length + slots(layout.primitiveBytes()));
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    record(id, length);
  }

  @Override
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    long bytes = (long) length * type.bytes(in.idSize());
    mutator.newBuffer(ELEMENT, bytes);
    for (long at = 0; at < bytes; at += piece.length) {
      int part = (int) Math.min(piece.length, bytes - at);
      in.bytes(piece, 0, part);
      mutator.writeBytes(ELEMENT, at, piece, 0, part);
    }
    add(id);
  }

  private void record(long id, int slots) {
    mutator.newRecord(ELEMENT, slots);
    add(id);
  }

  private void add(long id) {
    mutator.store(INDEX, count, ELEMENT);
    numbers.put(id, count);
    count++;
    if (count % BATCH == 0) {
      mutator.leave();
      mutator.enter(FRAME);
      mutator.getGlobal(INDEX, index);
    }
  }

  private static int slots(long bytes) {
    return (int) ((bytes + 7) / 8);
  }
}
