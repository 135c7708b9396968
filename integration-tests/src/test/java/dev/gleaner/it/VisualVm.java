package dev.gleaner.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.netbeans.lib.profiler.heap.FieldValue;
import org.netbeans.lib.profiler.heap.GCRoot;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;
import org.netbeans.lib.profiler.heap.ObjectFieldValue;
import org.netbeans.lib.profiler.heap.PrimitiveArrayInstance;

/** A heap dump as VisualVM sees it. */
@SuppressWarnings("unchecked") // its lists have no types
public final class VisualVm {
  private final Heap heap;

  private VisualVm(Heap heap) {
    this.heap = heap;
  }

  public static VisualVm open(Path file) {
    try {
      return new VisualVm(HeapFactory.createHeap(file.toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The numbers of instances by class, of those that have any. */
  Map<String, Integer> counts() {
    Map<String, Integer> counts = new HashMap<>();
    for (JavaClass c : (List<JavaClass>) heap.getAllClasses()) {
      if (c.getInstancesCount() > 0) {
        counts.put(c.getName(), c.getInstancesCount());
      }
    }
    return counts;
  }

  List<Instance> instances(String className) {
    List<Instance> all = new ArrayList<>();
    JavaClass c = heap.getJavaClassByName(className);
    if (c != null) {
      all.addAll((List<Instance>) c.getInstances());
    }
    return all;
  }

  Instance only(String className) {
    List<Instance> all = instances(className);
    if (all.size() != 1) {
      throw new AssertionError(all.size() + " of " + className);
    }
    return all.getFirst();
  }

  Instance instance(long id) {
    return Objects.requireNonNull(heap.getInstanceByID(id));
  }

  /** The objects that roots of a kind refer to. */
  List<Long> roots(String kind) {
    return ((Collection<GCRoot>) heap.getGCRoots())
        .stream()
            .filter(r -> r.getKind().equals(kind))
            .map(r -> r.getInstance().getInstanceId())
            .toList();
  }

  List<GCRoot> rootsOf(String kind) {
    return ((Collection<GCRoot>) heap.getGCRoots())
        .stream().filter(r -> r.getKind().equals(kind)).toList();
  }

  static Object field(Instance of, String name) {
    for (FieldValue v : (List<FieldValue>) of.getFieldValues()) {
      if (v.getField().getName().equals(name)) {
        return v instanceof ObjectFieldValue o ? o.getInstance() : v.getValue();
      }
    }
    throw new AssertionError(of + " has no " + name);
  }

  static Instance object(Instance of, String name) {
    return (Instance) field(of, name);
  }

  static byte[] bytes(Instance array) {
    List<String> values = (List<String>) ((PrimitiveArrayInstance) array).getValues();
    byte[] bytes = new byte[values.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = Byte.parseByte(values.get(i));
    }
    return bytes;
  }
}
