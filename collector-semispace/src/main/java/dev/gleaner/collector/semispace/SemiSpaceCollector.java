package dev.gleaner.collector.semispace;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.mark.DuktapeFinalizers;
import dev.gleaner.mark.Ephemerons;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.LargeSpace;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.Releaser;
import dev.gleaner.space.SpaceSet;
import dev.gleaner.spi.CollectionRequest;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Semispace copying with ordered finalizers (PyPy, "Ordering finalizers in the SemiSpace GC").
 *
 * <pre>
 *   1 evacuate  what built-ins, threads, globals and the finalize list reach is copied to the idle half
 *               what weak tables hold is copied, too; weak values go whose elements were not reached
 *   2 order     finalizers that are due -> finalize list; what waits is copied too
 *   3 clear     entries of weak tables, weak references to what was not reached, identities, access cache, string table
 *   4 release   what the dead own, and large elements; the dead themselves are not looked at
 *   5 relocate  every table of the heap's is told the new places
 *   6 leave     the other half is idle, and given back
 *   7 tidy      string table, value stacks; in an emergency property tables, pages
 * </pre>
 *
 * <p>Elements of more than {@link RawSpace#MOST_COPIED} words have a space of their own and stay
 * where they are, as the built-ins do; where the user provides the allocation functions every
 * element does. {@link Evacuator} says how one that stays is told from a copy, {@link SpaceSize}
 * when to collect.
 */
final class SemiSpaceCollector implements Collector {
  /** Kind 15; as a value raw, and as an offset out of bounds. */
  private static final long POISON = 0xFFFF_7BAD_7BAD_7BAFL;

  private final HeapContext context;
  private final Memory memory;
  private final boolean poisons;
  private final SpaceSize size;
  private final Allocator allocator;
  private final LargeSpace large;
  private final SpaceSet spaces;
  private final Evacuator evacuator;
  private final OrderedFinalizers finalizers;
  private final Ephemerons ephemerons;
  private final IdlePages idlePages;
  private CopySpaces current;
  private CopySpaces idle;
  private long movedElements;

  // Moved to the large elements to be pinned, which counts them as made there.
  private long pinnedElements;
  private long pinnedBytes;

  // Made once: a collection allocates nothing.
  private final LongPredicate isReached;
  private final LongUnaryOperator moved;
  private final DuktapeFinalizers.Tracer tracer = new CopyingTracer();
  private final OffsetVisitor reach;
  private final RootVisitor forward;
  private final OffsetVisitor clearMark = this::clearMark;
  private final OffsetVisitor releaseDead = this::releaseDead;
  private final Releaser releaser;

  SemiSpaceCollector(HeapContext context, long initialSpace) {
    this.context = context;
    this.memory = context.memory();
    context.raw().endAt(Forwarding.REACH);
    this.poisons =
        context.settings().verifyAfterCollection() || context.settings().torture().gcEvery() > 0;
    this.size = new SpaceSize(context.budget(), initialSpace);
    this.current = new CopySpaces(context.raw());
    this.idle = current.other();
    this.allocator = new Allocator(context, size, current);
    this.large = context.newLargeSpace();
    this.spaces = new SpaceSet(allocator, large, context.builtins());
    this.idlePages = new IdlePages(memory);
    this.evacuator = new Evacuator(context, idle);
    this.isReached = evacuator::isReached;
    this.moved = evacuator::moved;
    this.reach = evacuator::forward;
    this.forward = evacuator::forward;
    this.releaser = context::release;
    this.ephemerons = new Ephemerons(context);
    this.finalizers = new OrderedFinalizers(context, evacuator, e -> idle.contains(e));
  }

  @Override
  public long[] allocationBuffers(int kind) {
    long[] buffers = allocator.allocationBuffers(kind);
    return buffers == null ? Collector.super.allocationBuffers(kind) : buffers;
  }

  @Override
  public long allocate(int kind, long words) {
    if (context.builtins().takes(kind)) {
      return context.builtins().allocate(words);
    }
    if (words > RawSpace.MOST_COPIED || context.hasUserFunctions()) {
      return size.admits(words << 3) ? large.allocate(kind, words) : 0;
    }
    return allocator.allocate(kind, words);
  }

  @Override
  public void retire() {
    allocator.retire();
  }

  @Override
  public void collect(CollectionRequest request) {
    retire();
    idle.clear(); // what was poisoned by the last collection
    current.keepRoom();
    context.raw().beginCopies();
    evacuator.begin(idle);
    evacuate();
    ephemerons.begin(tracer);
    finalizers.find();
    ephemerons.end(tracer);
    context.sweepWeak(isReached);
    release();
    context.relocate(moved);
    large.forEach(clearMark);
    context.builtins().forEach(clearMark);
    leave();
    movedElements += current.elements();
    context.tidy(request.flags(), this::forEachToTidy);
    size.collected();
  }

  private final class CopyingTracer implements DuktapeFinalizers.Tracer {
    @Override
    public boolean isReached(long element) {
      return evacuator.isReached(element);
    }

    @Override
    public void reach(long element) {
      long _ = evacuator.forward(element);
    }

    @Override
    public void drain() {
      evacuator.drain();
    }
  }

  private void evacuate() {
    context.builtins().forEach(reach);
    context.roots().forEachRoot(forward);
    evacuator.drain();
  }

  private void release() {
    large.sweep(isReached, releaser);
    current.owners.forEach(releaseDead);
  }

  private void releaseDead(long element) {
    if (!evacuator.isReached(element)) {
      context.release(Layout.kind(memory.get(element)), element);
    }
  }

  private void clearMark(long element) {
    memory.put(element, memory.get(element) & Layout.LOW_MASK);
  }

  private void leave() {
    CopySpaces left = current;
    current = idle;
    idle = left;
    allocator.moveTo(current);
    if (poisons) {
      left.fill(POISON);
    } else {
      idlePages.add(left);
      left.clear();
      idlePages.release(current.bytes());
    }
    context.raw().endCopies();
    current.keepRoom();
  }

  private void forEachToTidy(int kind, OffsetVisitor visitor) {
    if (kind == Layout.THREAD) {
      for (int i = 0; i < evacuator.threads(); i++) {
        visitor.visit(evacuator.thread(i));
      }
      return;
    }
    current.owners.forEach(e -> {
      if (Layout.kind(memory.get(e)) == kind) {
        visitor.visit(e);
      }
    });
    large.forEach(kind, visitor);
    context.builtins().forEach(kind, visitor);
  }

  @Override
  public boolean stays(long buffer) {
    return evacuator.stays(buffer, memory.get(buffer));
  }

  /** Makes room among the large elements, where the next collection puts it. */
  @Override
  public boolean makeStay(long buffer) {
    long header = memory.get(buffer);
    long words = Layout.payloadWords(memory, buffer, header) + 1;
    long to = large.allocate(Layout.BUFFER, words);
    if (to == 0) {
      return false;
    }
    memory.copy(buffer, to, words << 3);
    memory.put(to, header | Evacuator.STAYS);
    pinnedElements++;
    pinnedBytes += words << 3;
    movedElements++;
    evacuator.redirect(buffer, to);
    return true;
  }

  @Override
  public SpaceSet spaces() {
    return spaces;
  }

  @Override
  public long allocatedElements() {
    return Collector.super.allocatedElements() - pinnedElements;
  }

  @Override
  public long allocatedBytes() {
    return Collector.super.allocatedBytes() - pinnedBytes;
  }

  @Override
  public String describe(long element) {
    return evacuator.stays(element, memory.get(element)) ? "stays where it is" : "moves";
  }

  @Override
  public long movedElements() {
    return movedElements;
  }

  /** What ordering the finalizers took in the last collection. */
  long orderingVisits() {
    return finalizers.visits();
  }

  @Override
  public @Nullable String verify() {
    long[] wrong = new long[1];
    forEachElement(e -> {
      if ((memory.get(e) & ~(Layout.LOW_MASK & ~Evacuator.ORDERING)) != 0) {
        wrong[0] = e;
      }
    });
    return wrong[0] == 0 ? null : "a collection left its marks on element " + wrong[0];
  }

  @Override
  public void close() {
    if (context.hasUserFunctions()) {
      large.close(context::release);
    }
  }
}
