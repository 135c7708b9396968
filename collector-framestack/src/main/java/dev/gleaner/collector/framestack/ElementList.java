package dev.gleaner.collector.framestack;

import dev.gleaner.layout.OffsetVisitor;

/** A list of elements in {@link Segments}: one is added, all of another are, the last is taken. */
final class ElementList {
  private final Segments segments;
  private int head;
  private int tail;
  private long size;

  /** Where the head is. */
  private int[] words = Segments.NONE;

  private int at;

  ElementList(Segments segments) {
    this.segments = segments;
  }

  long size() {
    return size;
  }

  void add(long element) {
    if (words[at + Segments.USED] == Segments.ENTRIES) {
      addSegment();
    }
    int used = words[at + Segments.USED]++;
    words[at + Segments.FIRST + used] = Segments.entry(element);
    size++;
  }

  private void addSegment() {
    int next = head;
    setHead(segments.take());
    words[at] = next;
    tail = next == 0 ? head : tail;
  }

  private void setHead(int segment) {
    head = segment;
    words = segments.words(segment);
    at = Segments.at(segment);
  }

  /** Takes an element off the list, or 0. */
  long take() {
    if (size == 0) {
      return 0;
    }
    int used = --words[at + Segments.USED];
    long element = Segments.element(words[at + Segments.FIRST + used]);
    size--;
    if (used == 0) {
      int next = words[at];
      segments.give(head);
      setHead(next);
      tail = next == 0 ? 0 : tail;
    }
    return element;
  }

  /** Takes over all that another list has. */
  void takeAll(ElementList other) {
    if (other.size == 0) {
      return;
    }
    if (size == 0) {
      tail = other.tail;
    } else { // before what is here: only the first segment is filled on
      segments.words(other.tail)[Segments.at(other.tail)] = head;
    }
    setHead(other.head);
    size += other.size;
    other.setHead(0);
    other.tail = 0;
    other.size = 0;
  }

  void forEach(OffsetVisitor visitor) {
    for (int s = head; s != 0; s = segments.words(s)[Segments.at(s)]) {
      int[] those = segments.words(s);
      int from = Segments.at(s);
      for (int i = those[from + Segments.USED] - 1; i >= 0; i--) {
        visitor.visit(Segments.element(those[from + Segments.FIRST + i]));
      }
    }
  }
}
