package dev.gleaner.lab.trace;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.refusal.StackFullException;
import dev.gleaner.trace.TraceException;
import dev.gleaner.trace.TraceFile;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The heap with which a trace begins: empty, or that of the image in the trace. What is Java's in
 * it has the numbers that the recording gave it.
 */
final class Beginning implements ImageBindings {
  private static final int DIGITS = 16;

  private final TraceFile trace;
  private final Map<Long, GlobalRef> globals = new HashMap<>();
  private @Nullable Replay replay;
  private boolean opened;

  /** What stands for a finalizer of the image: the body that the replay knows by its number. */
  private final class Later implements Finalizer {
    private final long number;
    private @Nullable Finalizer body;

    Later(long number) {
      this.number = number;
    }

    @Override
    public void run(Mutator mutator, boolean closing) {
      if (body == null) {
        body = replay().new Body(number);
      }
      body.run(mutator, closing);
    }
  }

  Beginning(TraceFile trace) {
    this.trace = trace;
  }

  /** Refuses a heap that was opened in another way, unless the trace begins with an empty one. */
  void checkOpened() {
    if (!opened && trace.image() != null) {
      throw new UnsupportedOperationException(
          trace + " begins with the image of a heap: each replay needs a heap of its own");
    }
  }

  /**
   * Opens the heap.
   *
   * @throws TraceException if the image is damaged, or its stacks are larger than the settings say
   */
  Heap open(HeapFactory factory) {
    opened = true;
    byte[] image = trace.image();
    if (image == null) {
      return factory.open();
    }
    try {
      return factory.open(HeapImage.of(image), this);
    } catch (ImageException | StackFullException e) {
      TraceException wrong = trace.wrongImage("the image of the heap: " + e.getMessage());
      wrong.initCause(e);
      throw wrong;
    }
  }

  /** Names the replay to which finalizers and callbacks belong. */
  void of(Replay owner) {
    replay = owner;
  }

  private Replay replay() {
    return Objects.requireNonNull(replay);
  }

  /** Returns the global references of the image, by their numbers. */
  Map<Long, GlobalRef> numbered() {
    return globals;
  }

  @Override
  public byte @Nullable [] write(Role role, Object object) {
    return null; // nothing is saved
  }

  @Override
  public @Nullable Object read(Role role, byte[] name) {
    if (role == Role.NATIVE || role == Role.THREAD_OBJECT) {
      return ReplayOperations.NATIVE;
    }
    String text = new String(name, StandardCharsets.US_ASCII);
    if (!text.matches("[0-9a-f]{" + DIGITS + "}")) {
      return null;
    }
    long number = HexFormat.fromHexDigitsToLong(text);
    return switch (role) {
      case FINALIZER -> new Later(number);
      case FREE_CALLBACK -> (FreeCallback) (_, _) -> replay().runCallback(number);
      case CODE -> (int) number;
      case NATIVE, THREAD_OBJECT -> throw new AssertionError(role);
    };
  }

  @Override
  public void global(String name, GlobalRef ref) {
    globals.put(HexFormat.fromHexDigitsToLong(name), ref);
  }
}
