package dev.gleaner.kit.scenario;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement, with names resolved to slots and numbers. */
sealed interface Statement
    permits Statement.OnElements, Statement.OnHeap, Statement.Control, Expectation {

  /** Makes and changes elements. */
  sealed interface OnElements extends Statement {}

  record MakeRecord(Place place, int slots) implements OnElements {}

  /** Makes an object; its weakness is 0 for none. */
  record MakeObject(Place place, int weakness) implements OnElements {}

  /** Makes an object weak, or an ordinary one again. */
  record SetWeakness(Place place, int weakness) implements OnElements {}

  record MakeString(Place place, String text) implements OnElements {}

  /** A string of bytes, which are the characters of a text of Latin-1. */
  record MakeBytes(Place place, String latin1) implements OnElements {}

  record Concat(Place place, List<Value> pieces) implements OnElements {}

  record Substring(Place place, Value string, int from, int to) implements OnElements {}

  record MakeBuffer(Place place, long bytes, boolean dynamic) implements OnElements {}

  record MakeThread(Place place) implements OnElements {}

  record MakeNative(Place place, String label) implements OnElements {}

  record MakeWeak(Name.Weak weak, Value value) implements OnElements {}

  record Set(Place place, Value value) implements OnElements {}

  record Add(Place place, long summand) implements OnElements {}

  record Delete(Place object, Value key) implements OnElements {}

  record Drop(List<Name> names) implements OnElements {}

  record Length(Place place, int length) implements OnElements {}

  record Resize(Place place, long bytes) implements OnElements {}

  record Fill(Place place, long seed) implements OnElements {}

  record Hash(Place.Local result, Place place) implements OnElements {}

  record Push(Place thread, Value value) implements OnElements {}

  record Pop(Place thread) implements OnElements {}

  /**
   * Sets a finalizer.
   *
   * @param layout of the frame of its block, whose first local is {@code self}
   */
  record SetFinalizer(Place place, String label, FrameLayout layout, Block block)
      implements OnElements {}

  /** Sets the finalizer that is running on another element. */
  record SetFinalizerAgain(Place place) implements OnElements {}

  record ClearFinalizer(Place place) implements OnElements {}

  /** Uses the heap as a whole. */
  sealed interface OnHeap extends Statement {}

  record Collect(int flags) implements OnHeap {}

  record CollectMinor() implements OnHeap {}

  record Increments(int n) implements OnHeap {}

  record Alloc(Place.Local block, long bytes, boolean raw) implements OnHeap {}

  record Realloc(Place.Local block, long bytes, boolean raw) implements OnHeap {}

  record Free(Place.Local block, boolean raw) implements OnHeap {}

  record Close() implements OnHeap {}

  record Print(List<Value> values) implements OnHeap {}

  record MarkUsed() implements OnHeap {}

  /** Runs blocks, or leaves them. */
  sealed interface Control extends Statement {}

  /** A frame; with a result it has a value to return. */
  record Frame(List<Place.Local> results, Body body) implements Control {}

  /**
   * What runs in a frame.
   *
   * @param returned null if nothing is, or if the frame ends with a tail call
   */
  record Body(
      FrameLayout layout, Block block, Block.@Nullable Return returned, @Nullable TailCall tail) {}

  /**
   * Replaces a frame.
   *
   * @param slots of the new one, at least
   * @param moved locals of the old one, the first ones of the new one
   */
  record TailCall(int line, long slots, List<Place.Local> moved, Body body) {}

  /**
   * Frames in each other.
   *
   * @param down what each runs before it calls the next deeper one
   * @param inner where each finds that one's result
   * @param up what each runs then
   */
  record Nest(
      long depth,
      Place.Local result,
      FrameLayout layout,
      Place.Local inner,
      Block down,
      Block up,
      Block.Return returned)
      implements Control {}

  record Tail(List<Place.Local> kept) implements Control {}

  record Resume(Place thread, FrameLayout layout, Block block) implements Control {}

  record Repeat(long times, Block block) implements Control {}

  /**
   * Runs a block for each property.
   *
   * @param held where the object is kept meanwhile, under no name
   */
  record Walk(Place object, Place.Local key, Place.Local value, Place.Local held, Block block)
      implements Control {}

  record When(boolean closing, Block block) implements Control {}

  record BaseFlags(int flags, Block block) implements Control {}

  record FailAllocations(long after, long times, Block block) implements Control {}

  record Throw(String text) implements Control {}

  /** Keeps an image of the heap; only one line does so for each name. */
  record Save(String image, int line) implements Control {}

  /** Goes on in a heap that is opened from an image. */
  record Open(String image) implements Control {}
}
