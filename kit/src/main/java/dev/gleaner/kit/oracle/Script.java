package dev.gleaner.kit.oracle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;

/**
 * What a program did, as statements of the scenario language, in the blocks that they stand in.
 *
 * <p>A finalizer's block is made when the finalizer is set and filled when it runs. A statement
 * that may fail is said first and {@linkplain Line#done done} afterwards; one that was never done
 * is left out, as it changed nothing. Of long programs only the last statements are kept.
 */
final class Script {
  private static final int TAIL = 60;
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** A line, or a block of them. */
  sealed interface Part permits Line, Block {}

  /** A statement or a comment. */
  static final class Line implements Part {
    private final String text;
    boolean done = true;

    private Line(String text) {
      this.text = text;
    }
  }

  /** What a block stands for; the program nests its frames and threads in the same way. */
  enum Scope {
    FILE,
    FRAME,
    RESUME,
    FINALIZER,
    /** Holds a single statement; belongs to the frame around it. */
    WRAPPER
  }

  /** Statements in braces. */
  static final class Block implements Part {
    final Scope scope;
    private String header;
    private final List<Part> parts = new ArrayList<>();

    private Block(Scope scope, String header) {
      this.scope = scope;
      this.header = header;
    }

    void setHeader(String header) {
      this.header = header;
    }
  }

  private final boolean recording;
  private final Block file = new Block(Scope.FILE, "");
  private final Deque<Block> open = new ArrayDeque<>(List.of(file));
  private final Deque<String> tail = new ArrayDeque<>();
  private int count;
  private boolean ended;

  /** Whether something was done that the language cannot say. */
  private boolean partial;

  /**
   * @param recording whether all is kept, not only the last operations
   */
  Script(boolean recording) {
    this.recording = recording;
  }

  /** Adds a statement. */
  Line say(String statement) {
    Line line = new Line(statement);
    note(statement);
    add(line);
    return line;
  }

  /** Adds what the language has no statement for, as a comment. */
  void cannotSay(String operation) {
    partial = true;
    note(operation);
    add(new Line("# not in the language: " + operation));
  }

  /** Adds a comment. */
  void comment(String text) {
    add(new Line("# " + text));
  }

  /** Adds something to what {@link #tail} shows only. */
  void note(String operation) {
    if (tail.size() == TAIL) {
      tail.removeFirst();
    }
    tail.add(++count + " " + operation);
  }

  private void add(Part part) {
    if (recording && !ended) {
      open.element().parts.add(part);
    }
  }

  /** Adds a block, and adds to it from now on. */
  Block open(Scope scope, String header) {
    note(header);
    Block block = new Block(scope, header);
    add(block);
    open.push(block);
    return block;
  }

  /** Adds a block that is filled later. */
  Block reserve(Scope scope, String header) {
    note(header);
    Block block = new Block(scope, header);
    add(block);
    return block;
  }

  /** Adds to a block that was reserved. */
  void reopen(Block block) {
    open.push(block);
  }

  /** Adds to a block that is thrown away. */
  Block discard(Scope scope) {
    Block block = new Block(scope, "");
    open.push(block);
    return block;
  }

  /** Ends a block and those in it; tells when that is not possible, as they do not nest. */
  void close(Block block) {
    if (!open.contains(block)) {
      cannotSay("leaving a frame that outlived its block");
      return;
    }
    while (open.pop() != block) {
      // those inside end with it
    }
    note("}");
  }

  /** The innermost block. */
  Block top() {
    return open.element();
  }

  boolean isPartial() {
    return partial;
  }

  /** Adds nothing any more. */
  void end() {
    ended = true;
  }

  /**
   * The last statement failed for want of memory.
   *
   * @param refused whether the script has its request refused, so that it fails again
   */
  void outOfMemory(boolean refused) {
    note("  out of memory");
    List<Part> parts = open.element().parts;
    if (!parts.isEmpty() && parts.getLast() instanceof Line line && !line.done && !ended) {
      parts.removeLast();
      if (refused) {
        line.done = true;
        Block expect = new Block(Scope.WRAPPER, "expect out-of-memory");
        expect.parts.add(line);
        parts.add(expect);
      } else {
        comment("no memory for: " + line.text);
      }
    }
  }

  /** The last operations, for messages. */
  String tail() {
    return String.join("\n  ", tail);
  }

  /** The statements that are no comments. */
  int statements() {
    return count(file);
  }

  private static int count(Block block) {
    int n = 0;
    for (Part part : block.parts) {
      n +=
          switch (part) {
            case Line line -> line.done && !line.text.startsWith("#") ? 1 : 0;
            case Block inner -> 1 + count(inner);
          };
    }
    return n;
  }

  /** The text, without a header. */
  String text() {
    StringBuilder text = new StringBuilder();
    write(file.parts, "", text);
    return text.toString();
  }

  private static void write(List<Part> parts, String indent, StringBuilder text) {
    for (Part part : parts) {
      switch (part) {
        case Line line -> {
          if (line.done) {
            text.append(indent).append(line.text).append('\n');
          }
        }
        case Block block -> {
          boolean bare = block.parts.isEmpty() && block.scope == Scope.FINALIZER;
          text.append(indent).append(block.header).append(bare ? "\n" : " {\n");
          if (!bare) {
            write(block.parts, indent + "  ", text);
            text.append(indent).append("}\n");
          }
        }
      }
    }
  }

  /** A string as the language writes it. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c >= ' ' && c < 127) {
        quoted.append(c);
      } else {
        quoted.append("\\u").append(HEX.toHexDigits(c));
      }
    }
    return quoted.append('"').toString();
  }
}
