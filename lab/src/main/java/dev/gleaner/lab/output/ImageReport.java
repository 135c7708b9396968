package dev.gleaner.lab.output;

import dev.gleaner.heap.HeapImage;
import dev.gleaner.layout.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Says what is in a heap image.
 *
 * @param used the bytes of a heap that was opened from it
 * @param kinds the elements by their kinds
 * @param names what is Java's in it
 * @param globals the names of global references
 * @param frames threads with their frames, in words
 */
public record ImageReport(
    Path file,
    HeapImage image,
    long used,
    Map<Kind, Count> kinds,
    List<String> names,
    List<String> globals,
    List<String> frames) {

  /**
   * Elements of one kind.
   *
   * @param bytes in a heap, without tables and stacks
   */
  public record Count(long elements, long bytes) {
    /** Returns the sum. */
    public Count plus(Count other) {
      return new Count(elements + other.elements, bytes + other.bytes);
    }
  }

  /**
   * Returns totals, kinds, names and frames.
   *
   * @param top how many names and lines of frames there are at most
   * @param width the most characters of a line
   */
  public List<String> lines(int top, int width) {
    List<String> lines = new ArrayList<>();
    sentence(
        lines,
        width,
        "%s: a heap image of %s elements, %s; %s in a heap"
            .formatted(
                Printable.line(file.toString()),
                Units.count((long) image.elements()),
                Units.bytes((long) image.size()),
                Units.bytes(used)));
    TextTable table = new TextTable().column("kind").column("elements").column("bytes");
    kinds.forEach((kind, count) ->
        table.row(List.of(kind.text(), Units.count(count.elements), Units.bytes(count.bytes))));
    lines.add("");
    lines.addAll(table.lines());
    list(lines, "what is Java's", names, top, width);
    list(lines, "global references", globals, top, width);
    list(lines, "threads and frames", frames, top, width);
    return lines;
  }

  private static void list(
      List<String> lines, String title, List<String> items, int top, int width) {
    if (!items.isEmpty() && top > 0) {
      lines.add("");
      lines.add(title + ":");
      for (String item : items.subList(0, Math.min(top, items.size()))) {
        lines.add("  " + Words.shortened(Printable.line(item), width - 2));
      }
      if (items.size() > top) {
        lines.add("  and %d more (--top)".formatted(items.size() - top));
      }
    }
  }

  private static void sentence(List<String> lines, int width, String text) {
    lines.addAll(Words.wrapped(text, width));
  }
}
