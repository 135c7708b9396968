package dev.gleaner.lua.compiler;

import dev.gleaner.lua.memory.Account;
import java.util.function.LongConsumer;

/**
 * What compiling a chunk takes: bytes of the JVM's heap, charged before they are used, and work.
 *
 * <p>Nodes of syntax are given back when the function whose nodes they are has been compiled. All
 * else lasts until the chunk has been compiled: names, code, tables of lines and of constants.
 */
final class Meter {
  /** Of a node of syntax, which has up to five fields. */
  static final int NODE = 32;

  /** Of a field of a table: two nodes, of few fields. */
  static final int FIELD = 48;

  /** Of a list, and of its entries one by one as the list grows. */
  static final int LIST = 48;

  static final int ENTRY = 8;

  private static final int GRANT = 4096;

  private final Account.Loan loan;
  private final LongConsumer work;
  private long unused;
  private long nodes;

  Meter(Account.Loan loan, LongConsumer work) {
    this.loan = loan;
    this.work = work;
  }

  /** Charges bytes that last until the chunk is compiled. */
  void charge(long bytes) {
    unused -= bytes;
    if (unused < 0) {
      long more = GRANT - unused;
      unused += more;
      take(more);
    }
  }

  private void take(long bytes) {
    try {
      loan.add(bytes);
    } catch (RuntimeException e) {
      unused -= bytes;
      throw e;
    }
  }

  /** Gives back bytes that were charged. */
  void refund(long bytes) {
    unused += bytes;
    if (unused > 2 * GRANT) {
      loan.drop(unused - GRANT);
      unused = GRANT;
    }
  }

  /** Charges bytes of syntax. */
  void node(long bytes) {
    nodes += bytes;
    charge(bytes);
  }

  /** {@return the bytes of syntax} */
  long nodes() {
    return nodes;
  }

  /** The syntax of a function is dropped. */
  void dropNodes(long before) {
    refund(nodes - before);
    nodes = before;
  }

  void work(long steps) {
    work.accept(steps);
  }
}
