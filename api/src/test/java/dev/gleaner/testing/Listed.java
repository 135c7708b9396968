package dev.gleaner.testing;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A collector that has the elements that it is told of. */
public final class Listed implements Collector {
  public final List<Long> elements = new ArrayList<>();
  public final long[] byKind = new long[Layout.KINDS];
  public @Nullable String problem;

  @Override
  public long allocate(int kind, long words) {
    return 0;
  }

  @Override
  public void collect(CollectionRequest request) {}

  @Override
  public void forEachElement(OffsetVisitor visitor) {
    elements.forEach(visitor::visit);
  }

  @Override
  public long elements(int kind) {
    return byKind[kind];
  }

  @Override
  public long allocatedElements() {
    return elements.size();
  }

  @Override
  public long allocatedBytes() {
    return 0;
  }

  @Override
  public @Nullable String verify() {
    return problem;
  }

  @Override
  public void close() {}
}
