package dev.gleaner.kit.scenario;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapException;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The scenario's finalizers, as the heap calls them: at any allocation, in the middle of a
 * statement.
 *
 * <p>The heap swallows what a finalizer throws. That is right for its errors, but a failed
 * expectation ends the scenario: it is kept here, and {@link #rethrow} brings it up once the
 * statement that led to the finalizer is done. Until then no other finalizer does anything.
 */
final class ScenarioFinalizers {
  /** The name of the on-free callback in images. */
  private static final String FREED = "freed";

  private final Operands operands;
  private final FinalizationLog log;
  private final Consumer<Block> body;

  /** The finalizers of the statements that set some, by the names that they have in images. */
  private final Map<String, Finalizer> finalizers = new LinkedHashMap<>();

  private final IdentityHashMap<Statement.SetFinalizer, String> names = new IdentityHashMap<>();
  private final IdentityHashMap<Finalizer, String> named = new IdentityHashMap<>();
  private final FreeCallback freed = this::freed;
  private Mutator t;
  private Statement.@Nullable SetFinalizer running;
  private @Nullable RuntimeException failure;
  private boolean closing;
  private boolean over;

  ScenarioFinalizers(Mutator t, Operands operands, FinalizationLog log, Consumer<Block> body) {
    this.t = t;
    this.operands = operands;
    this.log = log;
    this.body = body;
  }

  /** Whether the finalizer that is running runs because the heap closes. */
  boolean isClosing() {
    return closing;
  }

  /** Goes on in another heap, which may have the same finalizers. */
  void goOnIn(Mutator opened) {
    t = opened;
  }

  /** Closes a heap that was left: what it calls now is none of the scenario's business. */
  void leave(Heap left) {
    over = true;
    try {
      left.close();
    } finally {
      over = false;
    }
  }

  /** Ends the scenario: what the heap calls from now on is none of its business. */
  void end() {
    over = true;
  }

  void rethrow() {
    if (failure != null) {
      throw failure;
    }
  }

  void set(int slot, Statement.SetFinalizer finalizer) {
    t.setFinalizer(slot, finalizer.label(), finalizer(finalizer));
  }

  void setAgain(int slot) {
    Statement.SetFinalizer finalizer = running;
    if (finalizer == null) {
      throw new IllegalStateException("no finalizer is running");
    }
    set(slot, finalizer);
  }

  private Finalizer finalizer(Statement.SetFinalizer statement) {
    String name = names.get(statement);
    Finalizer made = name == null ? null : finalizers.get(name);
    if (made == null) {
      made = (_, isClosing) -> run(statement, isClosing);
      name = statement.label() + " " + (names.size() + 1);
      names.put(statement, name);
      named.put(made, name);
      finalizers.put(name, made);
    }
    return made;
  }

  /** The on-free callback of natives. */
  FreeCallback freed() {
    return freed;
  }

  private void freed(Object label, boolean isClosing) {
    if (!over) {
      log.add(label + (isClosing ? "!" : ""));
    }
  }

  private void run(Statement.SetFinalizer finalizer, boolean isClosing) {
    if (over || failure != null) {
      return;
    }
    log.add(finalizer.label() + (isClosing ? "!" : ""));
    if (finalizer.block().isEmpty()) {
      return;
    }
    Operands.Position interrupted = operands.position();
    running = finalizer;
    closing = isClosing;
    try {
      // The heap's own frame cannot be refused; most blocks need no more.
      if (finalizer.layout().size() > Finalizer.FRAME_SLOTS) {
        t.enter(finalizer.layout().size(), 0, 1);
      }
      operands.goTo(finalizer.layout());
      body.accept(finalizer.block());
    } catch (HeapException e) {
      throw e;
    } catch (RuntimeException | AssertionError e) {
      failure = e instanceof RuntimeException r ? r : new IllegalStateException(e);
    } finally {
      running = null;
      closing = false;
      operands.goBackTo(interrupted);
    }
  }

  /** Names what is Java's in an image: finalizers by label and number, natives by their label. */
  final class Bindings implements ImageBindings {
    private final Map<String, GlobalRef> saved;
    private final Map<String, GlobalRef> opened = new LinkedHashMap<>();

    /**
     * Makes bindings.
     *
     * @param saved the global references to save
     */
    Bindings(Map<String, GlobalRef> saved) {
      this.saved = saved;
    }

    @Override
    public byte @Nullable [] write(Role role, Object object) {
      String name =
          switch (role) {
            case FINALIZER -> object instanceof Finalizer f ? named.get(f) : null;
            case NATIVE -> object.toString();
            case FREE_CALLBACK -> freed.equals(object) ? FREED : null;
            case THREAD_OBJECT, CODE -> null;
          };
      return name == null ? null : name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable Object read(Role role, byte[] bytes) {
      String name = new String(bytes, StandardCharsets.UTF_8);
      return switch (role) {
        case FINALIZER -> finalizers.get(name);
        case NATIVE -> name;
        case FREE_CALLBACK -> name.equals(FREED) ? freed : null;
        case THREAD_OBJECT, CODE -> null;
      };
    }

    @Override
    public Map<String, GlobalRef> globals() {
      return saved;
    }

    @Override
    public void global(String name, GlobalRef ref) {
      opened.put(name, ref);
    }

    /** The global references of the heap that was opened. */
    Map<String, GlobalRef> opened() {
      return opened;
    }
  }
}
