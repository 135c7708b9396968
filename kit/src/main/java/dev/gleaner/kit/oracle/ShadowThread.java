package dev.gleaner.kit.oracle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** A thread of the model: frames, the bottom one first, and the thread that resumed it. */
final class ShadowThread {
  /** Slots at the end of a frame, as it was entered, that the comparison of graphs works with. */
  static final int SCRATCH = 4;

  /** An entry of the call stack: an activation of a function, or a catcher. */
  record Call(@Nullable ShadowElement function, int slot, int pc) {
    boolean isCatcher() {
      return function == null;
    }
  }

  /** A frame with the call stack's entries that are its own. */
  static final class Frame {
    final List<Object> slots = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();

    /** Slots that the frame was entered with; more are pushed and popped from outside. */
    final int entered;

    /** The block of the script that the frame is, if it has one. */
    final Script.@Nullable Block block;

    Frame(int entered, Script.@Nullable Block block) {
      this.entered = entered;
      this.block = block;
      for (int i = 0; i < entered; i++) {
        slots.add(Special.UNDEFINED);
      }
    }

    int scratch() {
      return entered - SCRATCH;
    }

    boolean is(Script.Scope scope) {
      return block != null && block.scope == scope;
    }

    /** The slot's name in the script: a finalizer finds its element as {@code self}. */
    String name(int slot) {
      return slot == 0 && is(Script.Scope.FINALIZER) ? "self" : "s" + slot;
    }

    /**
     * The names of the slots from {@code from} on that hold something, with a space before each.
     */
    String namesInUse(int from, IntPredicate wanted) {
      StringBuilder names = new StringBuilder();
      for (int i = from; i < slots.size(); i++) {
        if (slots.get(i) != Special.UNDEFINED && wanted.test(i)) {
          names.append(' ').append(name(i));
        }
      }
      return names.toString();
    }

    boolean isScratch(int slot) {
      return slot >= scratch() && slot < entered;
    }
  }

  /** Those that the program can reach. */
  List<Frame> frames = bottom();

  /** Those below the finalizers that run on this thread, the innermost first. */
  private final ArrayDeque<List<Frame>> below = new ArrayDeque<>();

  @Nullable ShadowElement resumer;

  /** The Java object that is attached. */
  @Nullable Object object;

  boolean running;

  Frame top() {
    return frames.getLast();
  }

  private static List<Frame> bottom() {
    return new ArrayList<>(List.of(new Frame(0, null)));
  }

  /** A finalizer begins, which reaches no frame that there is. */
  void addFloor() {
    below.push(frames);
    frames = bottom();
  }

  /** The finalizer is over. */
  void removeFloor() {
    frames = below.pop();
  }

  boolean hasFloor() {
    return !below.isEmpty();
  }

  /** Frames above the bottom. */
  int depth() {
    return frames.size() - 1;
  }

  int calls() {
    return frames.stream().mapToInt(f -> f.calls.size()).sum();
  }

  void forEachReference(Consumer<ShadowElement> visitor) {
    visit(frames, visitor);
    below.forEach(some -> visit(some, visitor));
    if (resumer != null) {
      visitor.accept(resumer);
    }
  }

  private static void visit(List<Frame> some, Consumer<ShadowElement> visitor) {
    for (Frame frame : some) {
      for (Object value : frame.slots) {
        ShadowElement.visit(value, visitor);
      }
      for (Call call : frame.calls) {
        if (call.function != null) {
          visitor.accept(call.function);
        }
      }
    }
  }
}
