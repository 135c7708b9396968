package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * A parser that backtracks, as for the clauses of a satisfiability problem. Every rule is a
 * function with a frame of its own, which returns what it read and the rest of the input, or null;
 * what a rule had made before it failed dies with its frame.
 *
 * <pre>
 *   clause   = unit | pair | any
 *   unit     = literal end
 *   pair     = literal literal end
 *   any      = literal any | end
 *   literal  = negative | positive
 * </pre>
 *
 * <p>Clause k has 1 + index(8) literals, each 1 + index(50), negative if index(2) is 1, drawn in
 * this order; 0 ends a clause. They are read and dropped one by one. The checksum adds each literal
 * times its place in the clause, from 1 on.
 */
final class BacktrackingParser extends NamedWorkload {
  private static final int MOST = 8;
  private static final int VARIABLES = 50;

  private static final int INPUT = 0;
  private static final int FIRST = 1;
  private static final int SECOND = 2;
  private static final int VALUE = 3;
  private static final int LIST = 4;
  private static final int RESULT = 5;
  private static final int SLOTS = 6;

  BacktrackingParser() {
    super(
        "parser",
        "a parser that backtracks: rules that fail leave their frames with what they made",
        Map.of("n", "500_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    Generator generator = new Generator();
    int[] tokens = new int[MOST + 1];
    t.enter(SLOTS);
    long sum = 0;
    for (int k = 0; k < n; k++) {
      int length = 1 + generator.index(MOST);
      for (int i = 0; i < length; i++) {
        int variable = 1 + generator.index(VARIABLES);
        tokens[i] = generator.index(2) == 1 ? -variable : variable;
      }
      tokens[length] = 0;
      input(t, tokens, length);
      clause(t);
      sum += sum(t);
      t.compact();
      if (k % 10_000 == 0) {
        run.progress((double) k / n);
      }
    }
    run.beforeDropping();
    t.leave();
    return sum;
  }

  /** Makes the list of tokens: each is a record of the rest and the number. */
  private static void input(Mutator t, int[] tokens, int end) {
    t.setNull(INPUT);
    for (int i = end; i >= 0; i--) {
      pair(t, FIRST, INPUT, tokens[i]);
      t.copy(INPUT, FIRST);
    }
  }

  /** Makes a record of a reference and a number. */
  private static void pair(Mutator t, int d, int reference, int number) {
    t.newRecord(d, 2);
    t.store(d, 0, reference);
    t.storeInt(d, 1, number);
  }

  private static long sum(Mutator t) {
    long sum = 0;
    t.load(LIST, RESULT, 0);
    for (int place = 1; t.isReference(LIST); place++) {
      sum += (long) place * t.loadInt(LIST, 1);
      t.load(LIST, LIST, 0);
    }
    return sum;
  }

  // ---- rules: from the input in the first slot to a result in the caller's ----

  private static void clause(Mutator t) {
    t.enter(SLOTS, INPUT, 1);
    exactly(t, 1);
    if (t.isNull(RESULT)) {
      exactly(t, 2);
    }
    if (t.isNull(RESULT)) {
      any(t);
    }
    t.leave(RESULT, RESULT);
  }

  /** So many literals, and the end; the result is {list}. */
  private static void exactly(Mutator t, int literals) {
    t.enter(SLOTS, INPUT, 1);
    literal(t);
    t.copy(FIRST, RESULT);
    if (literals == 2) {
      t.load(INPUT, FIRST, 0);
      literal(t);
      t.copy(SECOND, RESULT);
    }
    int last = literals == 2 ? SECOND : FIRST;
    if (t.isNull(last) || !isEnd(t, last)) {
      t.setNull(RESULT);
    } else {
      t.setNull(LIST);
      if (literals == 2) {
        pair(t, VALUE, LIST, t.loadInt(SECOND, 1));
        t.copy(LIST, VALUE);
      }
      pair(t, VALUE, LIST, t.loadInt(FIRST, 1));
      t.newRecord(RESULT, 1);
      t.store(RESULT, 0, VALUE);
    }
    t.leave(RESULT, RESULT);
  }

  private static boolean isEnd(Mutator t, int literal) {
    t.load(VALUE, literal, 0);
    return t.loadInt(VALUE, 1) == 0;
  }

  /** Literals up to the end; the result is {list}. */
  private static void any(Mutator t) {
    t.enter(SLOTS, INPUT, 1);
    literal(t);
    t.newRecord(VALUE, 1);
    if (t.isNull(RESULT)) { // the end
      t.storeNull(VALUE, 0);
    } else {
      t.copy(FIRST, RESULT);
      t.load(INPUT, FIRST, 0);
      any(t);
      t.load(LIST, RESULT, 0);
      pair(t, SECOND, LIST, t.loadInt(FIRST, 1));
      t.store(VALUE, 0, SECOND);
    }
    t.leave(VALUE, RESULT);
  }

  /** One literal; the result is {rest, number}, or null at the end. */
  private static void literal(Mutator t) {
    t.enter(SLOTS, INPUT, 1);
    signed(t, true);
    if (t.isNull(RESULT)) {
      signed(t, false);
    }
    t.leave(RESULT, RESULT);
  }

  private static void signed(Mutator t, boolean negative) {
    t.enter(SLOTS, INPUT, 1);
    int number = t.loadInt(INPUT, 1);
    t.load(VALUE, INPUT, 0);
    pair(t, RESULT, VALUE, number); // what it makes before it looks is garbage if it fails
    if (number == 0 || number < 0 != negative) {
      t.setNull(RESULT);
    }
    t.leave(RESULT, RESULT);
  }
}
