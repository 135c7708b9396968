package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.Memory;
import java.util.Arrays;

/**
 * The block of built-ins (Duktape, "Future work"): elements made while it is open lie next to each
 * other, are never reclaimed or counted, and go with the heap.
 *
 * <p>A collector sends allocations here while {@link #isOpen}, and takes all elements here as
 * roots: they may be changed, and so refer to others. Their headers have {@link
 * Layout#FLAG_IMMORTAL}.
 */
public final class ImmortalSpace implements Space {
  private static final long CHUNK = 4 << 10;

  private final Memory memory;
  private final AllocationFunctions functions;
  private long[] elements = new long[0];
  private int count;
  private long[] chunks = new long[0];
  private long at;
  private long end;
  private long allocatedBytes;
  private boolean open;

  public ImmortalSpace(Memory memory, AllocationFunctions functions) {
    this.memory = memory;
    this.functions = functions;
  }

  public boolean isOpen() {
    return open;
  }

  public void setOpen(boolean value) {
    open = value;
  }

  /** Whether an element of a kind that is made now belongs here. */
  public boolean takes(int kind) {
    return open && kind != Layout.THREAD && kind != Layout.NATIVE;
  }

  /** What the header of an element of a kind that is made now has besides. */
  public int headerFlags(int kind) {
    return takes(kind) ? Layout.FLAG_IMMORTAL : 0;
  }

  /** Takes memory for an element, cleared; 0 if refused. */
  public long allocate(long words) {
    long before = words - 1 >= Layout.LARGE ? Layout.WORD : 0;
    long bytes = (words << 3) + before;
    if (end - at < bytes) {
      long size = Math.max(CHUNK, bytes);
      long chunk = functions.alloc(size);
      if (chunk == 0) {
        return 0;
      }
      memory.zero(chunk, size);
      chunks = Arrays.copyOf(chunks, chunks.length + 1);
      chunks[chunks.length - 1] = chunk;
      at = chunk;
      end = chunk + size;
    }
    if (count == elements.length) {
      elements = Arrays.copyOf(elements, Math.max(16, count * 2));
    }
    long element = at + before;
    if (before != 0) {
      memory.put(at, words - 1);
    }
    at += bytes;
    allocatedBytes += bytes;
    elements[count++] = element;
    return element;
  }

  @Override
  public String name() {
    return "built-ins";
  }

  @Override
  public void forEach(OffsetVisitor visitor) {
    for (int i = 0; i < count; i++) {
      visitor.visit(elements[i]);
    }
  }

  /** Calls back for each element of a kind. */
  @Override
  public void forEach(int kind, OffsetVisitor visitor) {
    for (int i = 0; i < count; i++) {
      if (Layout.kind(memory.get(elements[i])) == kind) {
        visitor.visit(elements[i]);
      }
    }
  }

  /** Frees all with what they own. */
  public void close(Releaser releaser) {
    for (int i = 0; i < count; i++) {
      int kind = Layout.kind(memory.get(elements[i]));
      if (Layout.ownsResources(kind)) {
        releaser.release(kind, elements[i]);
      }
    }
    count = 0;
    for (long chunk : chunks) {
      functions.free(chunk);
    }
  }

  /** All elements here. */
  @Override
  public long allocatedElements() {
    return count;
  }

  /** Bytes of all elements made here. */
  @Override
  public long allocatedBytes() {
    return allocatedBytes;
  }

  /** Elements of a kind. */
  @Override
  public long elements(int kind) {
    long n = 0;
    for (int i = 0; i < count; i++) {
      n += Layout.kind(memory.get(elements[i])) == kind ? 1 : 0;
    }
    return n;
  }
}
