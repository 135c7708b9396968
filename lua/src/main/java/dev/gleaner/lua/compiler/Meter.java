package dev.gleaner.lua.compiler;

import dev.gleaner.lua.memory.Account;
import java.util.function.LongConsumer;

/**
 * The cost of a compilation: bytes of the JVM's heap, charged before their use, and work.
 *
 * <p>After the compilation of a function, the meter gives back the bytes of its syntax nodes. All
 * other bytes last until the end of the chunk: names, code, tables of lines and of constants.
 */
final class Meter {
  /** Bytes of a syntax node with up to five fields. */
  static final int NODE = 32;

  /** Bytes of a field of a table: two nodes with few fields. */
  static final int FIELD = 48;

  /** Bytes of a list, and of each entry as the list grows. */
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

  /** Charges bytes that last until the end of the chunk. */
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

  /** Gives back the syntax of a function. */
  void dropNodes(long before) {
    refund(nodes - before);
    nodes = before;
  }

  void work(long steps) {
    work.accept(steps);
  }
}
