package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFaults;
import dev.gleaner.heap.HeapInspection;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.PlainMemory;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.it.MisuseHeap.Reference;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorTraits;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is called wrongly says so, and changes nothing. */
class MisuseTest {
  private static final String BOTTOM = "no frame to leave: this one is the bottom of its thread";

  /** What can be asked of a heap at any time, from any thread: nothing of it looks at elements. */
  private static final Set<String> ANYWHERE =
      Set.of(
          "mutator",
          "plainMemory",
          "faults",
          "inspect",
          "name",
          "collector",
          "traits",
          "isClosed",
          "release", // HandOverTest
          "acquire",
          "claim", // AbandonedTest
          "snapshot",
          "toString");

  private static final List<Class<?>> OWNERS =
      List.of(Heap.class, Mutator.class, PlainMemory.class, HeapFaults.class, HeapInspection.class);

  /** The last figures stay, closing again is nothing, a listener is dropped late by meters. */
  private static final Set<String> ALSO_WHEN_CLOSED =
      Set.of("statistics", "close", "removeListener");

  static List<String> collectors() {
    return Installed.share(2);
  }

  @Test
  void everyPublicOperationIsInTheTable() {
    Set<Method> missing = new HashSet<>();
    for (Class<?> owner : OWNERS) {
      Arrays.stream(owner.getDeclaredMethods())
          .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
          .filter(m -> !m.getName().equals("toString")) // for debuggers: CollectionLogTest
          .filter(m -> owner != Heap.class || !ANYWHERE.contains(m.getName()))
          .forEach(missing::add);
    }
    List<Method> inTable = PublicCalls.all().stream().map(PublicCall::method).toList();
    assertThat(inTable).doesNotHaveDuplicates();
    missing.removeAll(inTable);
    assertThat(missing).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void whatIsRightIsNotRefused(String collector) {
    for (PublicCall call : PublicCalls.all()) {
      try (MisuseHeap heap = new MisuseHeap(collector)) {
        if (!isSupported(call, heap.heap.traits())) {
          assertThat(call.thrownBy(heap, call.right())).isInstanceOf(HeapUsageException.class);
        } else {
          call.before().accept(heap);
          assertThat(call.thrownBy(heap, call.right())).as("%s", call).isSameAs(call);
        }
      }
    }
  }

  private static boolean isSupported(PublicCall call, CollectorTraits traits) {
    return switch (call.name()) {
      case "step" -> traits.has(Capability.INCREMENTAL);
      case "pin", "unpin" -> traits.pinning();
      default -> true;
    };
  }

  /** The compiler's own exceptions for null have no message once the code is hot. */
  @Test
  @SuppressWarnings("NullAway") // as from a caller without annotations
  void nullIsNamedInHotCode() {
    try (MisuseHeap misuse = new MisuseHeap("marksweep")) {
      Mutator t = misuse.heap.mutator();
      t.enter(1);
      t.newBuffer(0, 8);
      for (int i = 0; i < 50_000; i++) {
        assertNamed("to", () -> t.readBytes(0, 0, null, 0, 1));
        assertNamed("text", () -> t.newString(0, (String) null));
      }
      t.leave();
    }
  }

  private static void assertNamed(String name, Runnable call) {
    try {
      call.run();
    } catch (NullPointerException e) {
      if (name.equals(e.getMessage())) {
        return;
      }
      throw new AssertionError(name, e);
    }
    throw new AssertionError(name + " was taken");
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void aWrongArgumentIsRefusedAndChangesNothing(String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      List<String> before = heap.dump();
      for (PublicCall call : PublicCalls.all()) {
        for (int i = 0; i < call.arguments().size(); i++) {
          for (PublicCall.Wrong wrong : call.arguments().get(i).wrong()) {
            String what = call + ", argument " + i + ": " + wrong.value();
            Object thrown = call.thrownBy(heap, call.with(i, wrong.value()));
            assertThat(thrown).as(what).isInstanceOf(wrong.thrown());
            assertThat(((Throwable) thrown).getMessage())
                .as(what)
                .isNotBlank()
                .contains(wrong.message());
            assertThat(heap.dump()).as(what).isEqualTo(before);
          }
        }
      }
      assertThat(heap.picture()).isEqualTo(untouched(collector));
    }
  }

  private static List<String> untouched(String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      return heap.picture();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void aClosedHeapSaysThatItIsClosed(String collector) {
    MisuseHeap heap = new MisuseHeap(collector);
    heap.close();
    for (PublicCall call : PublicCalls.all()) {
      Object thrown = call.thrownBy(heap, call.right());
      if (call.owner() == Heap.class && ALSO_WHEN_CLOSED.contains(call.name())) {
        assertThat(thrown).as("%s", call).isSameAs(call);
      } else {
        assertThat(thrown).as("%s", call).isExactlyInstanceOf(HeapClosedException.class);
        assertThat((Throwable) thrown).hasMessage("heap is closed: " + heap.heap.name());
      }
    }
    WeakRef weak = (WeakRef) heap.resolve(Reference.WEAK);
    assertThatThrownBy(weak::isCleared).isInstanceOf(HeapClosedException.class);
    weak.close();
    ((GlobalRef) heap.resolve(Reference.GLOBAL)).close();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void anotherThreadIsRefusedAndChangesNothing(String collector) throws InterruptedException {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      List<String> before = heap.dump();
      List<String> accepted = new ArrayList<>();
      Thread other =
          new Thread(
              () -> {
                for (PublicCall call : PublicCalls.all()) {
                  if (!(call.thrownBy(heap, call.right()) instanceof WrongThreadException)) {
                    accepted.add(call.toString());
                  }
                }
                WeakRef weak = (WeakRef) heap.resolve(Reference.WEAK);
                GlobalRef global = (GlobalRef) heap.resolve(Reference.GLOBAL);
                for (ThrowingCallable c :
                    List.<ThrowingCallable>of(weak::isCleared, weak::close, global::close)) {
                  try {
                    c.call();
                    accepted.add("reference");
                  } catch (WrongThreadException _) {
                    // as it should be
                  } catch (Throwable e) {
                    accepted.add(e.toString());
                  }
                }
              },
              "another");
      other.start();
      other.join();
      assertThat(accepted).isEmpty();
      assertThat(heap.dump()).isEqualTo(before);
    }
  }

  /** What is wrong only in a state that has to be reached first, and what is said in full. */
  record InState(Consumer<MisuseHeap> first, Consumer<Mutator> misuse, String message) {}

  static Stream<Arguments> inStates() {
    Consumer<MisuseHeap> nothing = h -> {};
    Consumer<MisuseHeap> bottom =
        h -> {
          h.thread.leave();
          h.thread.leave();
        };
    Consumer<MisuseHeap> resumed =
        h -> {
          GlobalRef global = (GlobalRef) h.resolve(Reference.GLOBAL);
          h.thread.setGlobal(global, MisuseHeap.THREAD);
          h.thread.resume(MisuseHeap.THREAD, 2);
          h.thread.getGlobal(0, global);
        };
    Consumer<MisuseHeap> prototype =
        h -> {
          h.thread.newObject(0);
          h.thread.setPrototype(0, MisuseHeap.OBJECT);
        };
    List<InState> all =
        List.of(
            new InState(bottom, Mutator::leave, BOTTOM),
            new InState(bottom, t -> t.leave(0, 0), "no slot 0 in a frame of 0"),
            new InState(nothing, Mutator::suspend, "this thread was not resumed"),
            new InState(resumed.andThen(h -> h.thread.leave()), Mutator::suspend, BOTTOM),
            new InState(resumed, t -> t.resume(0, 1), "thread is running: slot 0"),
            new InState(resumed, t -> t.resume(0, 2, 0, 1), "thread is running: slot 0"),
            new InState(resumed, t -> t.resumeInto(0, 0, 0, 0, 0), "thread is running: slot 0"),
            new InState(
                resumed, t -> t.suspend(0, 3, 0, 3), "no 3 slots from 0 on in a frame of 2"),
            new InState(
                resumed,
                t -> t.suspend(0, 1, 13, 1),
                "no 1 slots from 13 on in the frame they are for, of 13"),
            new InState(
                resumed, t -> t.finish(0, 0, 0, -2), "no number of results: -2; -1 for all"),
            new InState(nothing, t -> t.suspend(0, 0, 0, 0), "this thread was not resumed"),
            new InState(nothing, t -> t.finish(0, 0, 0, 0), "this thread was not resumed"),
            new InState(
                nothing,
                t -> t.resume(MisuseHeap.THREAD, 2, 0, 2),
                "no 3 arguments, 1 of them pushed, for 2 slots"),
            new InState(bottom, t -> t.leave(0, 0, 0, 0), BOTTOM),
            new InState(bottom, t -> t.leaveTo(1), "no frame at depth 1 of 0"),
            new InState(resumed, t -> t.push(0, 1), "thread is running: slot 0"),
            new InState(resumed, t -> t.pop(0, 1), "thread is running: slot 0"),
            new InState(
                h -> h.thread.pop(MisuseHeap.THREAD, 0),
                t -> t.pop(MisuseHeap.THREAD, 0),
                "value stack is empty"),
            new InState(
                h -> {
                  h.thread.pushCatcher(0, 1);
                  h.thread.enter(1);
                },
                Mutator::popCatcher,
                "no catcher in this frame"),
            new InState(
                h -> h.thread.enter(40_000),
                t -> t.pushCatcher(1 << 15, 1),
                "a catcher's slot must be below 32768: 32768"),
            new InState(
                prototype,
                t -> t.setPrototype(MisuseHeap.OBJECT, 0),
                "a prototype chain must not return to the object"),
            new InState(nothing, t -> t.load(0, 6, 2), "no slot 2 in a record of 2"),
            new InState(nothing, t -> t.load(0, 7, 2), "no slot 2 in an object of 2"),
            new InState(nothing, t -> t.load(0, 3, 2), "not an element: slot 3 holds int"),
            new InState(
                nothing,
                t -> t.getString(MisuseHeap.RECORD),
                "not a string: slot 6 holds a record"),
            new InState(
                nothing, t -> t.arrayLength(MisuseHeap.INT), "not an element: slot 3 holds int"),
            new InState(
                nothing,
                t -> t.arrayLength(MisuseHeap.BUFFER),
                "not an object: slot 8 holds a buffer"),
            new InState(
                nothing,
                t -> t.getInt(MisuseHeap.OBJECT),
                "not an integer: slot 7 holds an object"),
            new InState(nothing, t -> t.charAt(5, 4), "no character 4 in a string of 4"),
            new InState(nothing, t -> t.resizeBuffer(8, 1), "fixed buffer: slot 8"));
    return collectors().stream()
        .flatMap(c -> all.stream().map(s -> Arguments.of(Named.of(s.message, s), c)));
  }

  @ParameterizedTest
  @MethodSource("inStates")
  @Tag("seeds")
  void whatIsWrongOnlyNowIsRefusedAndChangesNothing(InState state, String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      state.first.accept(heap);
      List<String> _ = heap.dump();
      List<String> before = heap.dump();
      assertThatThrownBy(() -> state.misuse.accept(heap.thread))
          .isExactlyInstanceOf(HeapUsageException.class)
          .hasMessage(state.message);
      assertThat(heap.dump()).isEqualTo(before);
    }
  }

  /** A block that was freed may be a property table by now. */
  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void aBlockThatWasFreedIsRefusedWhateverTookItsPlace(String collector) {
    try (MisuseHeap misuse = new MisuseHeap(collector);
        MisuseHeap other = new MisuseHeap(collector)) {
      Mutator t = misuse.thread;
      List<Long> freed = new ArrayList<>();
      for (int bytes = 8; bytes <= 1000; bytes += 8) {
        freed.add(misuse.heap.plainMemory().allocChecked(bytes));
      }
      freed.forEach(misuse.heap.plainMemory()::free);
      List<Long> foreign = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        foreign.add(other.heap.plainMemory().allocChecked(4000));
        t.newObject(0);
        for (int p = 0; p < i; p++) {
          t.newString(1, "key " + p);
          t.putProperty(0, 1, 1);
        }
        t.newDynamicBuffer(1, 20L * i);
        t.putIndex(MisuseHeap.OBJECT, i, 0);
        t.putIndex(MisuseHeap.OBJECT, i + 50, 1);
      }
      List<String> before = misuse.dump();
      List<Long> wild = new ArrayList<>(freed);
      wild.addAll(foreign);
      wild.add((Long) misuse.resolve(Reference.INSIDE_BLOCK));
      for (long block : wild) {
        for (ThrowingCallable call :
            List.<ThrowingCallable>of(
                () -> misuse.heap.plainMemory().free(block),
                () -> misuse.heap.plainMemory().realloc(block, 100),
                () -> misuse.heap.plainMemory().realloc(block, 0),
                () -> misuse.heap.plainMemory().reallocRaw(block, 100),
                () -> misuse.heap.plainMemory().reallocIndirect(() -> block, 100))) {
          assertThatThrownBy(call)
              .isExactlyInstanceOf(HeapUsageException.class)
              .hasMessage("not a block of this heap's allocator: " + block);
        }
      }
      assertThat(misuse.dump()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void aClosedReferenceStaysClosedWhenItsPlaceIsUsedAgain(String collector) {
    try (MisuseHeap heap = new MisuseHeap(collector)) {
      GlobalRef old = (GlobalRef) heap.resolve(Reference.GLOBAL);
      old.close();
      GlobalRef next = heap.heap.newGlobal();
      heap.thread.setGlobal(next, MisuseHeap.INT);
      assertThatThrownBy(() -> heap.thread.setGlobal(old, MisuseHeap.NULL))
          .hasMessage("closed global reference");
      old.close();
      heap.thread.getGlobal(0, next);
      assertThat(heap.thread.getInt(0)).isEqualTo(42);
      WeakRef weak = (WeakRef) heap.resolve(Reference.WEAK);
      weak.close();
      WeakRef other = heap.thread.newWeak(MisuseHeap.OBJECT);
      weak.close();
      assertThat(weak.isCleared()).isTrue();
      assertThat(other.isCleared()).isFalse();
    }
  }
}
