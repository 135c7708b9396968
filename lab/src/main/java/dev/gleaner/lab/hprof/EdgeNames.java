package dev.gleaner.lab.hprof;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds out by which field or index each object of a way refers to the next: two passes more. */
final class EdgeNames implements HprofVisitor {
  private static final String UNNAMED = "refers to ";

  private final ObjectGraph graph;
  private final Map<Long, Long> next = new HashMap<>();

  /** By object: the name of its field, or the index. */
  private final Map<Long, Long> fields = new HashMap<>();

  private final Map<Long, Integer> indices = new HashMap<>();

  private EdgeNames(ObjectGraph graph) {
    this.graph = graph;
  }

  /** Returns what stands before each object of a way but the first. */
  static List<String> of(ObjectGraph graph, List<Integer> way) {
    EdgeNames edges = new EdgeNames(graph);
    for (int i = 1; i < way.size(); i++) {
      edges.next.put(graph.ids[way.get(i - 1)], graph.ids[way.get(i)]);
    }
    if (edges.next.isEmpty()) {
      return List.of();
    }
    graph.reader.read(edges);
    edges.fields.values().forEach(graph.names::want);
    graph.reader.read(graph.names);
    return way.subList(0, way.size() - 1).stream().map(o -> edges.text(graph.ids[o])).toList();
  }

  private String text(long id) {
    Integer index = indices.get(id);
    Long field = fields.get(id);
    return index != null
        ? "[" + index + "]: "
        : field != null ? "." + graph.names.text(field) + ": " : UNNAMED;
  }

  @Override
  public void classDump(HprofClass dumped) {
    Long target = next.get(dumped.id());
    for (int i = 0; target != null && i < dumped.references().length; i++) {
      if (dumped.references()[i] == target && dumped.referenceNames()[i] != 0) {
        fields.put(dumped.id(), dumped.referenceNames()[i]);
      }
    }
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    Long target = next.get(id);
    int c = graph.layouts.number(classId);
    if (target == null || c < 0) {
      return;
    }
    long start = in.position();
    graph.layouts.forEachField(
        c,
        (owner, index, offset) -> {
          if (owner.fields()[index] == HprofType.OBJECT) {
            in.skip(start + offset - in.position());
            if (in.id() == target) {
              fields.putIfAbsent(id, owner.fieldNames()[index]);
            }
          }
        });
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    Long target = next.get(id);
    for (int i = 0; target != null && i < length; i++) {
      if (in.id() == target) {
        indices.putIfAbsent(id, i);
      }
    }
  }
}
