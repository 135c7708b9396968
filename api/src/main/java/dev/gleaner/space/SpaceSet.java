package dev.gleaner.space;

import dev.gleaner.layout.OffsetVisitor;
import java.util.List;

/** The spaces of a heap, as one. */
public final class SpaceSet implements Space {
  private final Space[] spaces;

  /** Adds spaces up; they are walked in this order. */
  public SpaceSet(Space... spaces) {
    this.spaces = spaces.clone();
  }

  /** The spaces, in the order of the walk. */
  public List<Space> parts() {
    return List.of(spaces);
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    for (Space space : spaces) {
      space.forEach(visitor);
    }
  }

  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    for (Space space : spaces) {
      space.forEach(kind, visitor);
    }
  }

  @Override
  public long elements(int kind) {
    long n = 0;
    for (Space space : spaces) {
      n += space.elements(kind);
    }
    return n;
  }

  @Override
  public long allocatedElements() {
    long n = 0;
    for (Space space : spaces) {
      n += space.allocatedElements();
    }
    return n;
  }

  @Override
  public long allocatedBytes() {
    long n = 0;
    for (Space space : spaces) {
      n += space.allocatedBytes();
    }
    return n;
  }

  @Override
  public void retire() {
    for (Space space : spaces) {
      space.retire();
    }
  }

  @Override
  public void updateFigures() {
    for (Space space : spaces) {
      space.updateFigures();
    }
  }
}
