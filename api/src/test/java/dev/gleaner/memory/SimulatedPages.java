package dev.gleaner.memory;

/**
 * A system with larger pages than this one's, as kernels for other processors have: what is mapped
 * lies at a multiple of the page, advice on anything else is refused, and an end inside a page is
 * taken for the end of the page. Memories that are opened before {@link #close} have such pages.
 */
public class SimulatedPages implements ReservedMemory.SystemCalls, AutoCloseable {
  private final ReservedMemory.SystemCalls real = ReservedMemory.system;
  private final int pageSize;

  /** Simulates pages of so many bytes, a power of two and no less than the system's own. */
  public SimulatedPages(int pageSize) {
    this.pageSize = pageSize;
    ReservedMemory.system = this;
  }

  private long up(long bytes) {
    return (bytes + pageSize - 1) & -pageSize;
  }

  @Override
  public int pageSize() {
    return pageSize;
  }

  @Override
  public long map(long bytes) {
    long length = up(bytes);
    long at = real.map(length + pageSize);
    if (at == -1) {
      return -1;
    }
    long first = up(at);
    if (first > at) {
      real.unmap(at, first - at);
    }
    real.unmap(first + length, at + pageSize - first);
    return first;
  }

  @Override
  public void unmap(long address, long bytes) {
    real.unmap(address, up(bytes));
  }

  @Override
  public long allocate(long bytes) {
    return real.allocate(bytes);
  }

  @Override
  public void free(long address) {
    real.free(address);
  }

  @Override
  public boolean advise(long address, long bytes, int advice) {
    return address % pageSize == 0 && real.advise(address, up(bytes), advice);
  }

  @Override
  public void close() {
    ReservedMemory.system = real;
  }
}
