package dev.gleaner.snapshot;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import dev.gleaner.weak.FinalizerTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Writes a heap as an HPROF file, version 1.0.2, with identifiers of 8 bytes.
 *
 * <p>Two walks over the elements: the first finds the classes to make, the second writes. Besides
 * the classes, of which there is a most, and the buffer, nothing is kept; nothing is allocated in
 * the heap; elements, counts and a collection under way stay as they are.
 *
 * <pre>
 *   names, classes, stack traces
 *   roots:  CLASS    the classes, and built-ins
 *           THREAD, FRAME   threads that run, and the slots of their frames
 *           GLOBAL   global references, pinned buffers, the table of finalizers
 *           UNKNOWN  elements of the finalize list
 *   elements, each with what it owns; finalizers
 * </pre>
 */
public final class SnapshotWriter {
  private final HeapParts context;
  private final Collector collector;
  private final SnapshotRoots roots;
  private final HprofOutput out;
  private final SnapshotClasses classes;
  private final Entries entries;
  private final Text text;
  private final ThreadRoots threads;
  private final ElementEntries elements;

  /**
   * Prepares to write; the heap's registers are written back.
   *
   * @param context of the heap
   * @param collector the heap's, which knows its elements
   * @param roots those of the heap's own
   * @param to gets the file
   */
  public SnapshotWriter(
      HeapParts context, Collector collector, SnapshotRoots roots, OutputStream to) {
    this(context, collector, roots, to, Entries.MOST_ARRAY_BYTES);
  }

  SnapshotWriter(
      HeapParts context,
      Collector collector,
      SnapshotRoots roots,
      OutputStream to,
      long mostArrayBytes) {
    this.context = context;
    this.collector = collector;
    this.roots = roots;
    this.out = new HprofOutput(to);
    this.classes = new SnapshotClasses(context.sorts());
    this.entries = new Entries(out, classes, context.memory(), mostArrayBytes);
    this.text = new Text(context.memory(), classes, entries);
    this.threads = new ThreadRoots(context.memory(), roots);
    this.elements =
        new ElementEntries(
            context.memory(), context.natives(), context.tables(), classes, entries, text, threads);
  }

  /** Something that writes about an element. */
  @FunctionalInterface
  private interface ElementAction {
    void write(long element) throws IOException;
  }

  private static OffsetVisitor each(ElementAction action) {
    return e -> {
      try {
        action.write(e);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    };
  }

  private static RootVisitor eachRoot(ElementAction action) {
    OffsetVisitor visitor = each(action);
    return v -> {
      visitor.visit(v);
      return v;
    };
  }

  /**
   * Writes the whole file. The stream is flushed, and stays open.
   *
   * @param millis the time in the file, in milliseconds since 1970
   * @throws IOException if the stream fails
   */
  public void write(long millis) throws IOException {
    try {
      collector.forEachElement(elements::survey);
      threads.nameFrames(classes);
      out.start(millis);
      classes.writeNames(out);
      threads.writeTraces(out, classes);
      classes.writeDumps(entries);
      constants();
      threads.writeRoots(entries);
      heapRoots();
      collector.forEachElement(each(elements::write));
      finalizers();
      out.end();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void constants() throws IOException {
    entries.instance(Ids.TRUE, classes.bool);
    entries.byteField(1);
    entries.instance(Ids.FALSE, classes.bool);
    entries.byteField(0);
    entries.instance(Ids.NULL, classes.nothing);
  }

  private void heapRoots() throws IOException {
    context.builtins().forEach(each(e -> entries.root(Entries.CLASS_ROOT, Ids.element(e))));
    long[] globals = roots.globals();
    for (int g = 0; g < globals.length; g++) {
      if (Values.isReference(globals[g])) {
        entries.globalRoot(Ids.element(globals[g]), g);
      }
    }
    context.pins().forEachRoot(eachRoot(b -> entries.globalRoot(Ids.element(b), globals.length)));
    FinalizerTable table = context.finalizers();
    for (int i = 0; i < table.queued(); i++) {
      entries.root(Entries.UNKNOWN_ROOT, Ids.element(table.queuedElement(i)));
    }
  }

  /** A finalizer names its element by number: a reference would hold it. */
  private void finalizers() throws IOException {
    FinalizerTable table = context.finalizers();
    for (int i = 0; i < table.bound(); i++) {
      if (table.element(i) != 0) {
        long id = Ids.of(Ids.FINALIZER, i);
        entries.globalRoot(id, roots.globals().length + 1);
        entries.instance(id, classes.finalizer);
        entries.field(id | 2);
        entries.field(Ids.element(table.element(i)));
        entries.intField(table.state(i));
        int source = table.source(i, context.memory());
        text.label(id | 2, source < 0 ? "" : table.label(source));
      }
    }
  }
}
