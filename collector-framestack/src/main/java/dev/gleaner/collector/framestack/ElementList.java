package dev.gleaner.collector.framestack;

import dev.gleaner.policy.CellSpace;

/** A list of elements in {@link Segments}: one is added, all of another are, the last is taken. */
final class ElementList {
  private final Segments segments;
  private int head;
  private int tail;
  private long size;

  ElementList(Segments segments) {
    this.segments = segments;
  }

  long size() {
    return size;
  }

  void add(long element) {
    int at = head << Segments.SHIFT;
    if (head == 0 || segments.words[at + Segments.USED] == Segments.ENTRIES) {
      int s = segments.take();
      segments.words[s << Segments.SHIFT] = head;
      tail = head == 0 ? s : tail;
      head = s;
      at = s << Segments.SHIFT;
    }
    int used = segments.words[at + Segments.USED]++;
    segments.words[at + Segments.FIRST + used] = Segments.entry(element);
    size++;
  }

  /** Takes an element off the list, or 0. */
  long take() {
    if (size == 0) {
      return 0;
    }
    int at = head << Segments.SHIFT;
    int used = --segments.words[at + Segments.USED];
    long element = Segments.element(segments.words[at + Segments.FIRST + used]);
    size--;
    if (used == 0) {
      int next = segments.words[at];
      segments.give(head);
      head = next;
      if (next == 0) {
        tail = 0;
      }
    }
    return element;
  }

  /** Takes over all that another list has. */
  void takeAll(ElementList other) {
    if (other.size == 0) {
      return;
    }
    if (size == 0) {
      head = other.head;
      tail = other.tail;
    } else { // before what is here: only the first segment is filled on
      segments.words[other.tail << Segments.SHIFT] = head;
      head = other.head;
    }
    size += other.size;
    other.head = 0;
    other.tail = 0;
    other.size = 0;
  }

  void forEach(CellSpace.Visitor visitor) {
    for (int s = head; s != 0; s = segments.words[s << Segments.SHIFT]) {
      int at = s << Segments.SHIFT;
      for (int i = segments.words[at + Segments.USED] - 1; i >= 0; i--) {
        visitor.visit(Segments.element(segments.words[at + Segments.FIRST + i]));
      }
    }
  }
}
