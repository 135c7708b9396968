package dev.gleaner.mark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.layout.Layout;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.testing.Contexts;
import dev.gleaner.testing.Region;
import dev.gleaner.weak.FinalizerTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which elements are finalized, rescued or let go, for any way of tracing. */
@Tag("D20")
class DuktapeFinalizersTest {
  private static final Finalizer NONE = (thread, closing) -> {};

  private final Region region = new Region(1 << 20);
  private final HeapParts context = Contexts.of(region, new ArrayList<>(), true);
  private final FinalizerTable table = context.finalizers();
  private final DuktapeFinalizers rule = new DuktapeFinalizers(context);
  private final Trace trace = new Trace();

  /** Elements that were reached, and what they refer to. */
  private static final class Trace implements DuktapeFinalizers.Tracer {
    final Set<Long> reached = new HashSet<>();
    final Map<Long, Long> references = new HashMap<>();
    private final ArrayDeque<Long> grey = new ArrayDeque<>();

    @Override
    public boolean isReached(long element) {
      return reached.contains(element);
    }

    @Override
    public void reach(long element) {
      if (reached.add(element)) {
        grey.add(element);
      }
    }

    @Override
    public void drain() {
      while (!grey.isEmpty()) {
        Long to = references.get(grey.remove());
        if (to != null) {
          reach(to);
        }
      }
    }
  }

  @AfterEach
  void close() {
    region.close();
  }

  private long element(byte state) {
    long e = region.element(Layout.RECORD, 1);
    table.set(e, "f", NONE);
    table.setState(table.find(e), state);
    return e;
  }

  private byte state(long element) {
    return table.state(table.find(element));
  }

  private void collect() {
    rule.begin();
    rule.find(trace);
  }

  private List<Long> waiting() {
    List<Long> list = new ArrayList<>();
    for (int i = 0; i < table.queued(); i++) {
      list.add(table.queuedElement(i));
    }
    return list;
  }

  @Test
  void theUnreachableWaitInTheOrderOfRegistrationAndLiveOnWithWhatTheyReach() {
    long a = element(FinalizerTable.IDLE);
    long reachable = element(FinalizerTable.IDLE);
    long b = element(FinalizerTable.IDLE);
    long held = region.element(Layout.RECORD, 1);
    trace.references.put(a, held);
    trace.reached.add(reachable);
    collect();
    assertThat(waiting()).containsExactly(a, b);
    assertThat(state(a)).isEqualTo(FinalizerTable.QUEUED);
    assertThat(state(reachable)).isEqualTo(FinalizerTable.IDLE);
    assertThat(trace.reached).containsExactlyInAnyOrder(a, b, reachable, held);
    assertThat(table.size()).isEqualTo(3);
  }

  @Test
  void whatOnlyAnUnreachableOneReachesWaitsAsWell() {
    long a = element(FinalizerTable.IDLE);
    long b = element(FinalizerTable.IDLE);
    trace.references.put(a, b);
    collect();
    assertThat(waiting()).containsExactly(a, b);
  }

  @Test
  void whoseFinalizerRanIsRescuedIfReachableAndElseLetGo() {
    long rescued = element(FinalizerTable.FINALIZED);
    long gone = element(FinalizerTable.FINALIZED);
    trace.reached.add(rescued);
    collect();
    assertThat(state(rescued)).isEqualTo(FinalizerTable.IDLE);
    assertThat(context.rescued()).isEqualTo(1);
    assertThat(table.find(gone)).isNegative();
    assertThat(trace.reached).containsExactly(rescued);
    assertThat(waiting()).isEmpty();
  }

  @Test
  void whatOnlyTheFinalizeListReachesIsNoRescue() {
    long a = element(FinalizerTable.IDLE);
    long finalized = element(FinalizerTable.FINALIZED);
    trace.references.put(a, finalized);
    collect();
    assertThat(state(finalized)).isEqualTo(FinalizerTable.FINALIZED);
    assertThat(context.rescued()).isZero();
  }

  @Test
  void noRescueIsDecidedWhileFinalizersWait() {
    long waiting = element(FinalizerTable.IDLE);
    table.enqueue(table.find(waiting));
    long finalized = element(FinalizerTable.FINALIZED);
    trace.reached.add(waiting);
    trace.reached.add(finalized);
    rule.begin();
    assertThat(table.dequeue()).isEqualTo(waiting); // too late for this tracing
    table.setState(table.find(waiting), FinalizerTable.FINALIZED);
    rule.find(trace);
    assertThat(state(finalized)).isEqualTo(FinalizerTable.FINALIZED);
    collect();
    assertThat(state(finalized)).isEqualTo(FinalizerTable.IDLE);
  }

  @Test
  void noRescueIsDecidedWhileFinalizersRun() {
    long finalized = element(FinalizerTable.FINALIZED);
    trace.reached.add(finalized);
    rule.begin();
    table.setRunning(true);
    assertThat(table.isRunning()).isTrue();
    rule.find(trace);
    collect();
    assertThat(state(finalized)).isEqualTo(FinalizerTable.FINALIZED);
    table.setRunning(false);
    assertThat(table.isRunning()).isFalse();
    collect();
    assertThat(state(finalized)).isEqualTo(FinalizerTable.IDLE);
  }

  @Test
  void whatWaitsAlreadyIsNotQueuedAgain() {
    long a = element(FinalizerTable.IDLE);
    collect();
    trace.reached.clear();
    trace.reached.add(a); // by the list, which is a root
    long b = element(FinalizerTable.IDLE);
    collect();
    assertThat(waiting()).containsExactly(a, b);
  }

  @Test
  void weakReferencesToWhatWaitsAreCleared() {
    long a = element(FinalizerTable.IDLE);
    long reachable = element(FinalizerTable.IDLE);
    trace.reached.add(reachable);
    int weak = context.weak().add(a);
    int other = context.weak().add(reachable);
    collect();
    assertThat(context.weak().get(weak)).isZero();
    assertThat(context.weak().get(other)).isEqualTo(reachable);
  }

  @Test
  void withoutFinalizersTheUnreachableJustGo() {
    HeapParts quiet = Contexts.of(region, new ArrayList<>(), false);
    long e = region.element(Layout.RECORD, 1);
    quiet.finalizers().set(e, "f", NONE);
    DuktapeFinalizers never = new DuktapeFinalizers(quiet);
    never.begin();
    never.find(trace);
    assertThat(quiet.finalizers().size()).isZero();
    assertThat(quiet.finalizers().queued()).isZero();
  }

  @Test
  void aMinorCollectionJudgesTheYoungAlone() {
    table.set(8, "old", NONE);
    table.set(16, "old, rescued perhaps", NONE);
    table.setState(table.find(16), FinalizerTable.FINALIZED);
    int since = table.firstSince(table.lastSerial() + 1);
    for (long e = 808; e <= 840; e += 8) {
      table.set(e, "young", NONE);
    }
    table.setState(table.find(824), FinalizerTable.FINALIZED);
    table.setState(table.find(832), FinalizerTable.FINALIZED);
    int a = context.weak().add(816);
    int b = context.weak().add(8);
    trace.reached.add(808L);
    trace.reached.add(832L);
    trace.references.put(816L, 848L);
    rule.findYoung(trace, since);
    assertThat(table.queued()).isEqualTo(2);
    assertThat(table.queuedElement(0)).isEqualTo(816);
    assertThat(table.queuedElement(1)).isEqualTo(840);
    assertThat(trace.reached).contains(848L);
    assertThat(table.find(824)).as("its finalizer ran").isNegative();
    assertThat(table.state(table.find(832)))
        .as("a full collection says whether it is rescued")
        .isEqualTo(FinalizerTable.FINALIZED);
    assertThat(table.state(table.find(16))).isEqualTo(FinalizerTable.FINALIZED);
    assertThat(table.state(table.find(8))).isEqualTo(FinalizerTable.IDLE);
    assertThat(context.weak().get(a)).isZero();
    assertThat(context.weak().get(b)).isEqualTo(8);
  }
}
