package dev.gleaner.lab.hprof;

import java.nio.file.Path;
import java.util.BitSet;

/**
 * The objects of a heap dump, numbered in the order of the file, with their classes, sizes and
 * references, in arrays.
 *
 * <pre>
 *   pass 1   classes, roots, how many objects there are
 *   pass 2   identifiers, classes, sizes, the classes' names
 *   pass 3   references: those of object o are targets[first[o]] … targets[first[o + 1] - 1]
 * </pre>
 *
 * <p>Takes 40 bytes an object and 4 a reference; the map of identifiers, 16 of the former, is
 * dropped when it is built. Sizes are what the dump implies, as VisualVM counts: a header of two
 * identifiers, 8 bytes more for an array, and the fields or items without padding.
 *
 * <p>An object refers to its class unless that is a root, as most are. A weak or phantom
 * reference's referent is no reference: nothing is held by it.
 */
final class ObjectGraph {
  static final int ARRAY_HEADER = 8;

  final HprofReader reader;
  final DumpNames names;
  final ClassLayouts layouts;
  final long[] ids;
  final int[] rows;
  final long[] sizes;
  final int[] first;
  final int[] targets;

  /** Objects that roots refer to, each once, with the kind of the first root. */
  final int[] roots;

  final HprofRoot[] rootKinds;

  private ObjectGraph(
      HprofReader reader, DumpSurvey survey, GraphObjects objects, GraphReferences references) {
    this.reader = reader;
    this.names = survey.names();
    this.layouts = survey.layouts();
    this.ids = objects.ids;
    this.rows = objects.rows;
    this.sizes = objects.sizes;
    this.first = references.first;
    this.targets = references.targets.toArray();
    BitSet seen = new BitSet();
    IntList numbers = new IntList();
    IntList kinds = new IntList();
    long[] rootIds = survey.roots();
    for (int i = 0; i < rootIds.length; i++) {
      int number = objects.numbers.get(rootIds[i]);
      if (number >= 0 && !seen.get(number)) {
        seen.set(number);
        numbers.add(number);
        kinds.add(i);
      }
    }
    roots = numbers.toArray();
    rootKinds = new HprofRoot[roots.length];
    for (int i = 0; i < roots.length; i++) {
      rootKinds[i] = survey.rootKind(kinds.get(i));
    }
  }

  /**
   * Reads a dump.
   *
   * @throws HprofException if it cannot be read, is no heap dump, or is truncated or damaged
   */
  static ObjectGraph read(Path file) {
    HprofReader reader = new HprofReader(file);
    DumpSurvey survey = new DumpSurvey();
    reader.read(survey);
    if (survey.objects() > Integer.MAX_VALUE - 16) {
      throw new HprofException(
          "%s: %d objects; no more than %d fit"
              .formatted(file, survey.objects(), Integer.MAX_VALUE - 16));
    }
    GraphObjects objects = new GraphObjects(survey);
    reader.read(objects);
    objects.checkComplete(file);
    GraphReferences references = new GraphReferences(survey, objects);
    reader.read(references);
    return new ObjectGraph(reader, survey, objects, references);
  }

  int size() {
    return ids.length;
  }

  /** Returns how many rows of classes there are. */
  int rowCount() {
    return layouts.size() + GraphObjects.EXTRA_ROWS;
  }

  /** Returns the name of a row of classes. */
  String rowName(int row) {
    int extra = row - layouts.size();
    return extra < 0 ? names.className(layouts.dumped(row).id()) : GraphObjects.extraName(extra);
  }
}
