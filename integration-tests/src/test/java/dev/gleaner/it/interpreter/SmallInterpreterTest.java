package dev.gleaner.it.interpreter;

import static dev.gleaner.it.interpreter.Code.ADD;
import static dev.gleaner.it.interpreter.Code.CALL;
import static dev.gleaner.it.interpreter.Code.CREATE;
import static dev.gleaner.it.interpreter.Code.FUNCTION;
import static dev.gleaner.it.interpreter.Code.GET;
import static dev.gleaner.it.interpreter.Code.JUMP;
import static dev.gleaner.it.interpreter.Code.LESS;
import static dev.gleaner.it.interpreter.Code.MOVE;
import static dev.gleaner.it.interpreter.Code.NUMBER;
import static dev.gleaner.it.interpreter.Code.PROTECTED;
import static dev.gleaner.it.interpreter.Code.RAISE;
import static dev.gleaner.it.interpreter.Code.RESUME;
import static dev.gleaner.it.interpreter.Code.RETURN;
import static dev.gleaner.it.interpreter.Code.SET;
import static dev.gleaner.it.interpreter.Code.TABLE;
import static dev.gleaner.it.interpreter.Code.TAIL_CALL;
import static dev.gleaner.it.interpreter.Code.TEXT;
import static dev.gleaner.it.interpreter.Code.YIELD;
import static dev.gleaner.it.interpreter.SmallInterpreter.HOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.it.Installed;
import dev.gleaner.it.interpreter.SmallInterpreter.GuestException;
import dev.gleaner.it.interpreter.SmallInterpreter.HostFunction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The interpreter of docs/interpreter.md runs under every collector. */
@ParameterizedClass(name = "{0}")
@MethodSource("dev.gleaner.it.Installed#collectors")
class SmallInterpreterTest {
  private static final String SETTINGS =
      "memory.max = 1MiB, threads.max-stack-slots = 20000, verify = after-collection";

  private static final List<HostFunction> HOSTS =
      List.of(
          (t, arguments) -> { // the length of a text
            t.setInt(0, t.stringLength(0));
            return 1;
          },
          (t, arguments) -> { // sum and difference
            long a = t.getLong(0);
            long b = t.getLong(1);
            t.setLong(0, a + b);
            t.setLong(1, a - b);
            return 2;
          },
          (t, arguments) -> {
            throw new GuestException("no");
          });

  private static final List<String> TEXTS = List.of("an error", "key");

  /** Answers the length of the error that function 1 ends with, if it is told of one. */
  private static final Code LENGTH_OF_ERROR =
      new Code(
          1,
          9,
          words(FUNCTION, 3, 1, 0),
          words(MOVE, 5, 2, 0),
          words(PROTECTED, 3, 1, 1),
          words(FUNCTION, 5, HOST, 0),
          words(MOVE, 7, 4, 0),
          words(CALL, 5, 1, 1),
          words(RETURN, 5, 1, 0));

  private final String collector;

  SmallInterpreterTest(String collector) {
    this.collector = collector;
  }

  private static int[] words(int... words) {
    return words;
  }

  private long run(int argument, Code... functions) {
    long result = run("", argument, functions);
    assertThat(run(", torture.gc = every-allocation", Math.min(argument, 20), functions))
        .isEqualTo(run("", Math.min(argument, 20), functions));
    return result;
  }

  private long run(String more, int argument, Code... functions) {
    try (Heap heap = Installed.open(collector, SETTINGS + more)) {
      long result = new SmallInterpreter(heap, List.of(functions), HOSTS, TEXTS).run(argument);
      assertThat(heap.mutator().frameDepth()).isZero();
      assertThat(heap.inspect().verify()).isEmpty();
      return result;
    }
  }

  @Test
  void callsWithSeveralResults() {
    Code main =
        new Code(
            1,
            9,
            words(FUNCTION, 3, 1, 0),
            words(MOVE, 5, 2, 0),
            words(CALL, 3, 1, 2),
            words(ADD, 3, 3, 4),
            words(RETURN, 3, 1, 0));
    Code pair =
        new Code(
            1,
            6,
            words(NUMBER, 3, 10, 0),
            words(ADD, 3, 2, 3),
            words(MOVE, 4, 2, 0),
            words(RETURN, 3, 2, 0));
    assertThat(run(7, main, pair)).isEqualTo(24);
  }

  @Test
  void callsTheHost() {
    Code main =
        new Code(
            1,
            9,
            words(FUNCTION, 3, HOST + 1, 0),
            words(MOVE, 5, 2, 0),
            words(NUMBER, 6, 3, 0),
            words(CALL, 3, 2, 2),
            words(ADD, 3, 3, 4), // (n + 3) + (n - 3)
            words(RETURN, 3, 1, 0));
    assertThat(run(50, main)).isEqualTo(100);
  }

  @Test
  void callsInPlaceAHundredThousandTimes() {
    Code main =
        new Code(
            1,
            9,
            words(FUNCTION, 3, 1, 0),
            words(MOVE, 5, 2, 0),
            words(NUMBER, 6, 0, 0),
            words(CALL, 3, 2, 1),
            words(RETURN, 3, 1, 0));
    Code sum =
        new Code(
            2,
            10,
            words(NUMBER, 4, 0, 0),
            words(LESS, 4, 2, 7),
            words(FUNCTION, 5, 1, 0),
            words(NUMBER, 7, -1, 0),
            words(ADD, 7, 2, 7),
            words(ADD, 8, 3, 2),
            words(TAIL_CALL, 5, 2, 0),
            words(RETURN, 3, 1, 0));
    assertThat(run(100_000, main, sum)).isEqualTo(5_000_050_000L);
  }

  @Test
  void fillsATable() {
    Code main =
        new Code(
            1,
            9,
            words(TABLE, 3, 0, 0),
            words(NUMBER, 4, 0, 0),
            words(NUMBER, 5, 1, 0),
            words(LESS, 4, 2, 7),
            words(SET, 3, 4, 4),
            words(ADD, 4, 4, 5),
            words(JUMP, 3, 0, 0),
            words(TEXT, 6, 1, 0),
            words(SET, 3, 6, 2),
            words(GET, 4, 3, 6), // n
            words(NUMBER, 5, 3, 0),
            words(GET, 5, 3, 5), // 3
            words(ADD, 4, 4, 5),
            words(RETURN, 4, 1, 0));
    assertThat(run(1000, main)).isEqualTo(1003);
  }

  @Test
  void catchesErrors() {
    Code raises = new Code(1, 5, words(TEXT, 3, 0, 0), words(RAISE, 3, 0, 0));
    assertThat(run(1, LENGTH_OF_ERROR, raises)).isEqualTo("an error".length());
    Code noTable = new Code(1, 5, words(GET, 3, 2, 2));
    assertThat(run(1, LENGTH_OF_ERROR, noTable)).isEqualTo("a table is wanted".length());
    Code host = new Code(1, 6, words(FUNCTION, 3, HOST + 2, 0), words(CALL, 3, 0, 0));
    assertThat(run(1, LENGTH_OF_ERROR, host)).isEqualTo("no".length());
  }

  @Test
  void catchesWhatAnyGuestCanCause() {
    Code deep =
        new Code(1, 7, words(FUNCTION, 3, 1, 0), words(CALL, 3, 0, 1), words(RETURN, 3, 1, 0));
    assertThat(run("", 1, LENGTH_OF_ERROR, deep)).isEqualTo("stack overflow".length());
    Code large =
        new Code(
            1,
            6,
            words(TABLE, 3, 0, 0),
            words(SET, 3, 2, 4),
            words(MOVE, 4, 3, 0),
            words(JUMP, 0, 0, 0));
    assertThat(run("", 1, LENGTH_OF_ERROR, large)).isEqualTo("not enough memory".length());
  }

  @Test
  void anErrorThatNobodyCatchesIsTheHosts() {
    Code raises = new Code(1, 5, words(TEXT, 3, 0, 0), words(RAISE, 3, 0, 0));
    assertThatThrownBy(() -> run(1, raises))
        .isInstanceOf(GuestException.class)
        .hasMessage("an error");
  }

  /** Adds what coroutine 1 gives for n, until that is 0. */
  private static final Code SUM =
      new Code(
          1,
          11,
          words(FUNCTION, 3, 1, 0),
          words(CREATE, 4, 3, 0),
          words(NUMBER, 9, 0, 0),
          words(MOVE, 5, 4, 0),
          words(MOVE, 7, 2, 0),
          words(RESUME, 5, 1, 1),
          words(NUMBER, 8, 0, 0),
          words(LESS, 8, 6, 10),
          words(ADD, 9, 9, 6),
          words(JUMP, 3, 0, 0),
          words(RETURN, 9, 1, 0));

  @Test
  void resumesACoroutine() {
    Code countsDown =
        new Code(
            1,
            7,
            words(NUMBER, 3, 0, 0),
            words(LESS, 3, 2, 7),
            words(MOVE, 4, 2, 0),
            words(YIELD, 4, 1, 1),
            words(NUMBER, 5, -1, 0),
            words(ADD, 2, 2, 5),
            words(JUMP, 1, 0, 0),
            words(RETURN, 3, 1, 0));
    assertThat(run(1000, SUM, countsDown)).isEqualTo(500_500);
  }

  @Test
  void aCoroutineYieldsFromAnyDepth() {
    Code calls =
        new Code(
            1,
            9,
            words(NUMBER, 3, 0, 0),
            words(LESS, 3, 2, 8),
            words(FUNCTION, 4, 2, 0),
            words(MOVE, 6, 2, 0),
            words(PROTECTED, 4, 1, 1),
            words(NUMBER, 6, -1, 0),
            words(ADD, 2, 2, 6),
            words(JUMP, 1, 0, 0),
            words(RETURN, 3, 1, 0));
    Code yields =
        new Code(1, 5, words(MOVE, 3, 2, 0), words(YIELD, 3, 1, 1), words(RETURN, 3, 1, 0));
    assertThat(run(1000, SUM, calls, yields)).isEqualTo(500_500);
  }

  @Test
  void anErrorEndsACoroutine() {
    Code main =
        new Code(
            1,
            11,
            words(FUNCTION, 3, 1, 0),
            words(CREATE, 4, 3, 0),
            words(MOVE, 5, 4, 0),
            words(RESUME, 5, 0, 1),
            words(FUNCTION, 7, HOST, 0),
            words(MOVE, 9, 6, 0),
            words(CALL, 7, 1, 1),
            words(MOVE, 5, 4, 0),
            words(RETURN, 7, 1, 0));
    Code raises = new Code(1, 5, words(TEXT, 3, 0, 0), words(RAISE, 3, 0, 0));
    assertThat(run(1, main, raises)).isEqualTo("an error".length());
    Code again =
        new Code(
            1,
            8,
            words(FUNCTION, 3, 2, 0),
            words(CREATE, 4, 3, 0),
            words(MOVE, 5, 4, 0),
            words(RESUME, 5, 0, 1),
            words(MOVE, 5, 4, 0),
            words(RESUME, 5, 0, 1),
            words(RETURN, 3, 1, 0));
    Code ends = new Code(1, 4, words(RETURN, 2, 1, 0));
    assertThat(run(1, LENGTH_OF_ERROR, again, ends))
        .isEqualTo("a coroutine that waits is wanted".length());
  }
}
