package dev.gleaner.lab.workload;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Many small heaps at once, as a server has that gives each tenant a heap of its own.
 *
 * <p>Opens all heaps, and makes in each a list of 300 records, a string that names the tenant, and
 * an object with eight properties, in a frame that stays; then reads all of it back, heap by heap,
 * and closes the heap. The checksum is the sum of what was read.
 *
 * <p>Reports the microseconds a heap, from the first opening to the last closing, and the bytes a
 * heap: what the resident size of the whole process grew by until all were open and used (on
 * Linux), after a collection of the JVM's own heap on either side. The time of those is not
 * counted.
 */
final class Tenants extends NamedWorkload {
  private static final int RECORDS = 300;
  private static final int PROPERTIES = 8;
  private static final int NEXT = 0;
  private static final int NUMBER = 1;

  private static final int LIST = 0;
  private static final int STRING = 1;
  private static final int OBJECT = 2;
  private static final int KEY = 3;
  private static final int VALUE = 4;
  private static final int FRAME = 5;

  Tenants() {
    super(
        "tenants",
        "many small heaps: open all, run a small job in each, close all",
        Map.of("heaps", "10_000"));
  }

  @Override
  public long run(Run run) {
    int count = run.parameters().integer("heaps");
    HeapFactory factory = run.factory();
    List<Heap> heaps = new ArrayList<>(count);
    long residentBefore = resident();
    long start = System.nanoTime();
    long sum = 0;
    try {
      for (int i = 0; i < count; i++) {
        Heap heap = factory.open();
        heaps.add(heap);
        make(heap.mutator(), i);
        progress(run, 0, i, count);
      }
      long pause = System.nanoTime();
      long resident = resident();
      start += System.nanoTime() - pause;
      for (int i = 0; i < count; i++) {
        sum += read(heaps.get(i).mutator());
        heaps.get(i).close();
        progress(run, 0.5, i, count);
      }
      if (count > 0) {
        run.extra("microseconds_per_heap", (System.nanoTime() - start) / 1e3 / count);
        if (residentBefore > 0) {
          run.extra("bytes_per_heap", (double) (resident - residentBefore) / count);
        }
      }
    } finally {
      heaps.forEach(Heap::close);
    }
    return sum;
  }

  private static void progress(Run run, double from, int i, int count) {
    if ((i & 0xff) == 0) {
      run.progress(from + 0.5 * i / count);
    }
  }

  private static void make(Mutator t, int tenant) {
    t.enter(FRAME);
    for (int k = 0; k < RECORDS; k++) {
      t.newRecord(VALUE, 2);
      t.store(VALUE, NEXT, LIST);
      t.storeInt(VALUE, NUMBER, tenant + k);
      t.copy(LIST, VALUE);
    }
    t.newString(STRING, "tenant " + tenant);
    t.newObject(OBJECT);
    for (int key = 0; key < PROPERTIES; key++) {
      t.newString(KEY, KEYS[key]);
      t.setInt(VALUE, tenant + key);
      t.putProperty(OBJECT, KEY, VALUE);
    }
  }

  private static final String[] KEYS = {
    "name", "plan", "users", "region", "created", "quota", "used", "state"
  };

  private static long read(Mutator t) {
    long sum = t.stringLength(STRING);
    for (int key = 0; key < PROPERTIES; key++) {
      t.newString(KEY, KEYS[key]);
      t.getProperty(VALUE, OBJECT, KEY);
      sum += t.getInt(VALUE);
    }
    while (t.isReference(LIST)) {
      sum += t.loadInt(LIST, NUMBER);
      t.load(LIST, LIST, NEXT);
    }
    t.leave();
    return sum;
  }

  /**
   * Returns the resident bytes of this process after a collection by the JVM, or 0 where unknown.
   */
  private static long resident() {
    System.gc();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    } catch (IOException e) {
      // not Linux
    }
    return 0;
  }
}
