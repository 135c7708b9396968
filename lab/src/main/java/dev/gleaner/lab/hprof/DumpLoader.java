package dev.gleaner.lab.hprof;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;

/**
 * Builds the object graph of a heap dump in a heap: one element an object, all its references, and
 * a global reference for every object that a GC root refers to.
 *
 * <pre>
 *   pass 1   count objects, learn classes and roots
 *   pass 2   make elements      index[number] = element, numbers: identifier -> number
 *   pass 3   store references   index[number of this][slot] = index[number of that]
 *   roots    global = index[number of root]; then the index is dropped
 * </pre>
 *
 * <p>The index is an array record in the heap itself. In the JVM's heap are, while loading, 16
 * bytes an object for the numbers, and the classes' layouts.
 */
final class DumpLoader {
  private final HprofReader reader;
  private final Heap heap;
  private final DoubleConsumer progress;

  DumpLoader(Path file, Heap heap, DoubleConsumer progress) {
    this.reader = new HprofReader(file);
    this.heap = heap;
    this.progress = progress;
  }

  /**
   * What was loaded.
   *
   * @param objects objects in the dump
   * @param elements elements made of them, as the heap counts them
   * @param references references between them
   * @param unresolved references to what is not in the dump
   * @param roots a global reference for each object that roots refer to
   * @param sample weak references to some elements, chosen at random
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Loaded(
      long objects,
      long elements,
      long references,
      long unresolved,
      GlobalRef[] roots,
      WeakRef[] sample) {}

  /**
   * Loads the dump.
   *
   * @param sampleOneIn one element in so many is in the sample
   * @throws HprofException if the file is no heap dump, or truncated or damaged
   */
  Loaded load(int sampleOneIn, SplittableRandom random) {
    DumpSurvey survey = new DumpSurvey();
    reader.read(survey);
    progress.accept(0.1);
    if (survey.objects() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "%d objects; a record has at most %d slots"
              .formatted(survey.objects(), Integer.MAX_VALUE));
    }
    int objects = (int) survey.objects();
    Mutator mutator = heap.mutator();
    long before = elements();
    GlobalRef index = heap.newGlobal();
    mutator.enter(DumpElements.FRAME);
    mutator.newRecord(DumpElements.INDEX, objects);
    mutator.setGlobal(index, DumpElements.INDEX);
    IdMap numbers = new IdMap(objects);
    reader.read(new DumpElements(mutator, index, survey.layouts(), numbers));
    progress.accept(0.4);
    DumpReferences pass = new DumpReferences(mutator, survey.layouts(), numbers);
    reader.read(pass);
    progress.accept(0.9);
    GlobalRef[] roots = roots(survey.roots(), numbers, objects);
    WeakRef[] sample = sample(objects, objects / sampleOneIn, random);
    long elements = elements() - before - 1;
    mutator.leave();
    index.close();
    progress.accept(1);
    return new Loaded(objects, elements, pass.references(), pass.unresolved(), roots, sample);
  }

  private GlobalRef[] roots(long[] ids, IdMap numbers, int objects) {
    BitSet rooted = new BitSet(objects);
    for (long id : ids) {
      int number = numbers.get(id);
      if (number >= 0) {
        rooted.set(number);
      }
    }
    GlobalRef[] roots = new GlobalRef[rooted.cardinality()];
    int at = 0;
    for (int number = rooted.nextSetBit(0); number >= 0; number = rooted.nextSetBit(number + 1)) {
      heap.mutator().load(DumpElements.ELEMENT, DumpElements.INDEX, number);
      roots[at] = heap.newGlobal();
      heap.mutator().setGlobal(roots[at++], DumpElements.ELEMENT);
    }
    return roots;
  }

  private WeakRef[] sample(int objects, int size, SplittableRandom random) {
    WeakRef[] sample = new WeakRef[size];
    for (int i = 0; i < size; i++) {
      int number = random.nextInt(objects);
      heap.mutator().load(DumpElements.ELEMENT, DumpElements.INDEX, number);
      sample[i] = heap.mutator().newWeak(DumpElements.ELEMENT);
    }
    return sample;
  }

  private long elements() {
    return heap.statistics().liveElements();
  }
}
