package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.PageAllocator;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.RawSpace.Span;
import dev.gleaner.space.RawSpace.Use;

/**
 * A map of a heap's pages. A character stands for a page; in a large heap it stands for the
 * commonest use of several pages. The map has at most 64 rows of 64 characters.
 */
public final class PageMap {
  private static final int ROW = 64;
  private static final int ROWS = 64;

  /** The characters for the kinds of elements in cells, and then for each {@link Use}. */
  private static final String CHARACTERS = "?sibdnrotfBLC.";

  private static final int BLOCKS = Layout.KINDS;
  private static final int LARGE_BLOCK = BLOCKS + 1;
  private static final int TAKEN = BLOCKS + 2;
  private static final int FREE = BLOCKS + 3;

  private final RawSpace raw;
  private final long pages;
  private final long[] used = new long[CHARACTERS.length()];

  public PageMap(HeapParts context) {
    this.raw = context.raw();
    this.pages = raw.extent() / PageAllocator.PAGE;
  }

  /** Returns the map with its legend below. */
  public String text() {
    long each = 1;
    while ((pages + each - 1) / each > ROW * ROWS) {
      each *= 2;
    }
    StringBuilder out = new StringBuilder();
    out.append(pages).append(" pages of ").append(PageAllocator.PAGE).append(" bytes");
    out.append(each == 1 ? ", a character each" : ", a character for " + each).append('\n');
    char[] map = map(each);
    int width = Long.toString(raw.extent()).length();
    for (int at = 0; at < map.length; at += ROW) {
      String offset = Long.toString(at * each * PageAllocator.PAGE);
      out.append(" ".repeat(width - offset.length())).append(offset).append("  ");
      out.append(map, at, Math.min(ROW, map.length - at)).append('\n');
    }
    for (int use = 1; use < used.length; use++) {
      if (used[use] > 0) {
        out.append(CHARACTERS.charAt(use)).append("  ").append(name(use)).append(": ");
        out.append(used[use]).append(used[use] == 1 ? " page\n" : " pages\n");
      }
    }
    return out.toString();
  }

  private char[] map(long each) {
    int cells = (int) ((pages + each - 1) / each);
    int[][] counts = new int[cells][used.length];
    raw.forEachSpan(span -> {
      int use = use(span);
      long from = span.start() / PageAllocator.PAGE;
      long end = from + span.bytes() / PageAllocator.PAGE;
      used[use] += end - from;
      for (long at = from; at < end; ) {
        long next = Math.min(end, (at / each + 1) * each);
        counts[(int) (at / each)][use] += (int) (next - at);
        at = next;
      }
    });
    char[] map = new char[cells];
    for (int i = 0; i < cells; i++) {
      int most = 0;
      for (int use = 1; use < used.length; use++) {
        most = counts[i][use] > counts[i][most] ? use : most;
      }
      map[i] = most == 0 ? '-' : CHARACTERS.charAt(most);
    }
    return map;
  }

  private static int use(Span span) {
    return switch (span.use()) {
      case CELLS -> span.kind();
      case BLOCKS -> BLOCKS;
      case LARGE_BLOCK -> LARGE_BLOCK;
      case TAKEN -> TAKEN;
      case FREE, UNUSED -> FREE;
    };
  }

  private static String name(int use) {
    return switch (use) {
      case BLOCKS -> "blocks of up to 8 KiB: tables, stacks, plain ones";
      case LARGE_BLOCK -> "large blocks, and elements with a block of their own";
      case TAKEN -> "pages that the collector divides itself";
      case FREE -> "free";
      default -> "cells for elements of kind " + Layout.kindOf(use).text();
    };
  }
}
