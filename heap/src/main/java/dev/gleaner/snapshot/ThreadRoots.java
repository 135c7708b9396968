package dev.gleaner.snapshot;

import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run, or wait for one that they resumed: their frames are roots.
 *
 * <p>A frame is a line of the thread's stack trace, {@code gleaner.Frame.frame(main:3)} the third
 * from the bottom; what its slots refer to are its locals. The lines are for the innermost frames;
 * the others' locals are roots all the same.
 */
final class ThreadRoots {
  private static final int MOST_LINES = 1000;
  private static final int NO_LINE = -1;

  private final Memory memory;
  private final SnapshotRoots roots;
  private final Map<Long, String> names = new LinkedHashMap<>();

  ThreadRoots(Memory memory, SnapshotRoots roots) {
    this.memory = memory;
    this.roots = roots;
    for (long t = roots.current(); Values.isReference(t) && !names.containsKey(t); ) {
      add(t);
      t = memory.get(t + ThreadLayout.RESUMER);
    }
    add(roots.main());
    for (long t : new long[] {roots.finalizer(), roots.callback()}) {
      if (t != 0) {
        add(t);
      }
    }
  }

  private void add(long t) {
    if (!names.containsKey(t)) {
      String name =
          t == roots.main()
              ? "main"
              : t == roots.finalizer()
                  ? "finalizer"
                  : t == roots.callback() ? "callback" : "coroutine " + names.size();
      names.put(t, name);
    }
  }

  /** The name of a thread that is a root, or null. */
  @Nullable String name(long thread) {
    return names.get(thread);
  }

  /** Told of a frame's slots, the innermost frame first. */
  @FunctionalInterface
  private interface FrameVisitor {
    void frame(int fromTop, long firstSlot, long slots) throws IOException;
  }

  private int forEachFrame(long t, FrameVisitor visitor) throws IOException {
    long stack = Values.raw(memory.get(t + ThreadLayout.STACK));
    long base = Values.raw(memory.get(t + ThreadLayout.BASE));
    long size = Values.raw(memory.get(t + ThreadLayout.SIZE));
    for (int frame = 0; ; frame++) {
      visitor.frame(frame, stack + (base << 3), size);
      if (base == 1) {
        return frame + 1;
      }
      size = memory.get(stack + ((base - 1) << 3)) & ThreadLayout.LINK_MASK;
      base -= size + 1;
    }
  }

  /** Has the names that {@link #writeTraces} needs made. */
  void nameFrames(SnapshotClasses classes) {
    names.values().forEach(classes::nameId);
    long _ = classes.nameId("frame");
    long _ = classes.nameId("()");
  }

  /** Writes the records of frames and stack traces, the empty one first. */
  void writeTraces(HprofOutput out, SnapshotClasses classes) throws IOException {
    trace(out, Entries.NO_TRACE, 0, 0);
    int serial = 0;
    for (Map.Entry<Long, String> thread : names.entrySet()) {
      serial++;
      long t = thread.getKey();
      int frames = forEachFrame(t, (_, _, _) -> {});
      int lines = Math.min(frames, MOST_LINES);
      for (int i = 0; i < lines; i++) {
        out.record(HprofOutput.FRAME, 40);
        out.id(frameId(serial, i));
        out.id(classes.nameId("frame"));
        out.id(classes.nameId("()"));
        out.id(classes.nameId(thread.getValue()));
        out.u4(classes.frame.number());
        out.u4(frames - i);
      }
      trace(out, Entries.NO_TRACE + serial, serial, lines);
      for (int i = 0; i < lines; i++) {
        out.id(frameId(serial, i));
      }
    }
  }

  private static void trace(HprofOutput out, int number, int thread, int lines) throws IOException {
    out.record(HprofOutput.TRACE, 12 + 8L * lines);
    out.u4(number);
    out.u4(thread);
    out.u4(lines);
  }

  private static long frameId(int thread, int line) {
    return Ids.of(Ids.FRAME, (long) thread << 16 | line);
  }

  /** Writes the threads as roots, and what their frames hold. */
  void writeRoots(Entries out) throws IOException {
    int serial = 0;
    for (long t : names.keySet()) {
      int thread = ++serial;
      out.threadRoot(Entries.THREAD_ROOT, Ids.element(t), thread, Entries.NO_TRACE + thread);
      int _ =
          forEachFrame(
              t,
              (frame, first, slots) -> {
                for (long place = first; place < first + (slots << 3); place += 8) {
                  long v = memory.get(place);
                  if (Values.isReference(v)) {
                    int line = frame < MOST_LINES ? frame : NO_LINE;
                    out.threadRoot(Entries.FRAME_ROOT, Ids.element(v), thread, line);
                  }
                }
              });
    }
  }
}
