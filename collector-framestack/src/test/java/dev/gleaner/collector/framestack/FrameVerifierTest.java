package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each invariant of frames is broken once, in the heap's memory or in the lists, and the verifier
 * says so; then all is as it was.
 *
 * <pre>
 *   main     slots 0, 1: an object, an object of the same generation
 *   called   slots 0, 1: an object, a record with one slot
 *   running  slots 0, 1: a record with one slot, a coroutine that yielded from a frame of one slot
 * </pre>
 */
@Tag("F4")
@Tag("F9")
class FrameVerifierTest extends HeapTests {
  private final Heap heap = open("collector = watched", "voluntary.enabled = false");
  private final Memory memory = WatchedProvider.memory();
  private final OwningFrames owners = WatchedProvider.last().owners();
  private final YoungFrames young = WatchedProvider.last().frames();
  private long mainSlots;
  private long calledSlots;
  private long runningSlots;

  @BeforeEach
  void build() {
    Mutator t = heap.mutator();
    mainSlots = enter(t);
    t.newObject(0, OWNED);
    t.newObject(1, OWNED);
    calledSlots = enter(t);
    t.newObject(0, OWNED);
    t.newRecord(1, 1);
    runningSlots = enter(t);
    t.newRecord(0, 1);
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(owners.count()).isEqualTo(3);
  }

  /** Enters a frame of two slots; answers where they are. */
  private long enter(Mutator t) {
    t.enter(2);
    assertThat(heap.inspect().verify()).isEmpty();
    return young.stackStart() + young.runningBase();
  }

  private long in(long slot) {
    return memory.get(slot);
  }

  private void expect(String violation) {
    assertThat(heap.inspect().verify()).anyMatch(text -> text.matches(violation));
  }

  private void expectWith(long place, long value, String violation) {
    long was = memory.get(place);
    memory.put(place, value);
    expect(violation);
    memory.put(place, was);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  private void expectWithGeneration(long element, long generation, String violation) {
    long header = memory.get(element);
    long low = header & (1L << GENERATION_SHIFT) - 1;
    expectWith(element, low | generation << GENERATION_SHIFT, violation);
  }

  private long generation(long element) {
    return memory.get(element) >>> GENERATION_SHIFT;
  }

  @Test
  void rangesOfGenerationsDoNotMeet() {
    OwningFrame f = owners.get(2);
    f.first--;
    expect("frame 2 has generations 5, 6, 8");
    f.first++;
    f.generation = f.first - 1;
    expect("frame 2 has generations 6, 5, 8");
    f.generation = f.next - 1;
    expect("frame 2 has generations 6, 7, 8");
    f.generation = f.first;
  }

  @Test
  void theFirstRangeIsBeyondOld() {
    OwningFrame f = owners.get(0);
    f.first = FrameBuffer.OLD;
    expect("frame 0 has generations 1, 2, 4");
    f.first = FrameBuffer.OLD + 1;
  }

  @Test
  void callersLieBelow() {
    OwningFrame f = owners.get(2);
    long base = f.base;
    f.base = owners.get(1).base;
    expect("frame 2 lies below its caller");
    f.base = base;
  }

  @Test
  void survivorsAreOfTheirFramesGeneration() {
    ElementList fresh = owners.get(1).fresh;
    owners.get(1).survivors.takeAll(fresh);
    expect("survivor \\d+ has generation 5");
    fresh.takeAll(owners.get(1).survivors);
  }

  @Test
  void noElementIsOnTwoLists() {
    long e = in(mainSlots);
    owners.get(2).fresh.add(e);
    expect("element " + e + " is on two lists");
    assertThat(owners.get(2).fresh.take()).isEqualTo(e);
  }

  @Test
  void noElementIsListedByAnOlderFrame() {
    long e = in(calledSlots);
    assertThat(owners.get(2).fresh.take()).isEqualTo(e);
    owners.get(1).fresh.add(e);
    expect("element " + e + " is younger than the frame that lists it");
    assertThat(owners.get(1).fresh.take()).isEqualTo(e);
    owners.get(2).fresh.add(e);
  }

  @Test
  void everyOwnedElementIsListed() {
    long e = owners.get(2).fresh.take();
    expect("element " + e + " of generation 7 is on no list");
    owners.get(2).fresh.add(e);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void everyElementHasAGeneration() {
    long e = in(mainSlots);
    expectWithGeneration(e, 0, "element " + e + " has no generation");
  }

  @Test
  void elementsReferToNothingYounger() {
    long holder = in(mainSlots);
    long slot = lastWord(holder);
    memory.put(slot, in(mainSlots + 8));
    assertThat(heap.inspect().verify()).isEmpty();
    String violation = "element " + holder + " of generation 5 refers to %d of %d";
    expectWith(slot, in(calledSlots), violation.formatted(in(calledSlots), 7));
    expectWith(slot, in(calledSlots + 8), violation.formatted(in(calledSlots + 8), 0));
    memory.put(slot, Values.UNDEFINED);
  }

  /** The only slot of such an object. */
  private long lastWord(long object) {
    return object + 8 + Layout.OBJECT_SLOTS * 8L;
  }

  @Test
  void recordsReferToNoneOfAYoungerFrame() {
    long older = in(calledSlots + 8);
    long younger = in(runningSlots);
    expectWith(
        older + 8, younger, "record " + older + " of a frame refers to " + younger + " of a .*");
    memory.put(younger + 8, older);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void slotsHoldNoRecordOfACalledFrame() {
    long younger = in(runningSlots);
    long slot = (calledSlots - young.stackStart()) >> 3;
    expectWith(
        calledSlots, younger, "slot " + slot + " of the value stack holds " + younger + " of a .*");
    expectWith(mainSlots, in(calledSlots + 8), "slot \\d+ of the value stack holds .*");
    memory.put(runningSlots + 8, in(calledSlots + 8));
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  void aCoroutineHoldsWhatNoFrameOwns() {
    Mutator t = heap.mutator();
    t.newThread(1);
    long coroutine = in(runningSlots + 8);
    long word = coroutine + ThreadLayout.RESUMER;
    expectWith(
        word,
        in(calledSlots),
        "thread " + coroutine + " holds \\d+ of generation " + generation(in(calledSlots)));
  }
}
