package dev.gleaner.util;

/**
 * A map from elements to numbers from 0 on: linear hashing (Litwin 1980), so that it grows by one
 * bucket at a time. No step of it takes long, however many elements there are.
 *
 * <pre>
 *   heads[bucket] --> node: element, number --next--> node ... 0
 *   buckets 0 .. n - 1, 2^L &lt;= n &lt; 2^(L+1): that of L + 1 bits of the hash, or of L if there is none yet
 * </pre>
 */
public final class ElementIndex {
  private static final int LEAST = 8;

  private final IntParts heads = new IntParts();
  private final LongParts elements = new LongParts();
  private final IntParts numbers = new IntParts();
  private final IntParts next = new IntParts();
  private int buckets = LEAST;
  private int size;

  /** Nodes that were ever used; node 0 is none. */
  private int nodes = 1;

  private int freeNode;

  private static int hash(long element) {
    return (int) (((element >>> 3) * 0x9E3779B97F4A7C15L) >>> 32);
  }

  private int bucket(long element) {
    int high = Integer.highestOneBit(buckets);
    int h = hash(element);
    int b = h & (high * 2 - 1);
    return b < buckets ? b : h & (high - 1);
  }

  private int node(long element) {
    if (size == 0) {
      return 0;
    }
    int n = heads.get(bucket(element));
    while (n != 0 && elements.get(n) != element) {
      n = next.get(n);
    }
    return n;
  }

  /** The number of an element, or -1. */
  public int get(long element) {
    int n = node(element);
    return n == 0 ? -1 : numbers.get(n);
  }

  /** Sets an element's number; answers the one it had, or -1. */
  public int put(long element, int number) {
    int n = node(element);
    if (n != 0) {
      int old = numbers.get(n);
      numbers.set(n, number);
      return old;
    }
    if (size >= buckets) {
      split();
    }
    heads.ensure(buckets);
    n = freeNode;
    if (n != 0) {
      freeNode = next.get(n);
    } else {
      n = nodes++;
      elements.ensure(nodes);
      numbers.ensure(nodes);
      next.ensure(nodes);
    }
    elements.set(n, element);
    numbers.set(n, number);
    link(bucket(element), n);
    size++;
    return -1;
  }

  private void link(int bucket, int node) {
    next.set(node, heads.get(bucket));
    heads.set(bucket, node);
  }

  /** Makes one more bucket, to which some nodes of another one go. */
  private void split() {
    int from = buckets - Integer.highestOneBit(buckets);
    heads.ensure(buckets + 1);
    int n = heads.get(from);
    buckets++;
    heads.set(from, 0);
    while (n != 0) {
      int after = next.get(n);
      link(bucket(elements.get(n)), n);
      n = after;
    }
  }

  /** Removes an element; answers its number, or -1. */
  public int remove(long element) {
    if (size == 0) {
      return -1;
    }
    int b = bucket(element);
    int before = 0;
    int n = heads.get(b);
    while (n != 0 && elements.get(n) != element) {
      before = n;
      n = next.get(n);
    }
    if (n == 0) {
      return -1;
    }
    if (before == 0) {
      heads.set(b, next.get(n));
    } else {
      next.set(before, next.get(n));
    }
    next.set(n, freeNode);
    freeNode = n;
    size--;
    return numbers.get(n);
  }
}
