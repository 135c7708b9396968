package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gleaner.lab.measure.Timeline.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
  @Test
  void everyMessageIsReadAsItWasWritten() {
    Map<String, Double> extras = new LinkedHashMap<>();
    extras.put("collection_2_ms", 12.5);
    extras.put("collection_1_ms", 1e-9);
    Pauses pauses = new Pauses();
    pauses.record(12_345);
    RunResult result =
        new RunResult(
            "failed: a = b\n\tc",
            -3L,
            Map.of(Figure.SECONDS, 0.1, Figure.LIVE_ELEMENTS_AT_END, 1e15),
            extras,
            new ChartData(
                new Timeline(List.of(new Sample(0, 5), new Sample(1_234_567, 1L << 40))),
                pauses.recorded()));
    Message.Ran ran = new Message.Ran(2, result);
    assertThat(Message.ofLine(ran.toLine())).isEqualTo(ran);
    assertThat(result.status()).isEqualTo("failed: a = b c");
    assertThat(result.extras().keySet()).containsExactly("collection_2_ms", "collection_1_ms");
    Message.Ran bare = new Message.Ran(0, RunResult.failed("x"));
    assertThat(Message.ofLine(bare.toLine())).isEqualTo(bare);
    Message.Progress progress = new Message.Progress(0.25);
    assertThat(Message.ofLine(progress.toLine())).isEqualTo(progress);
    assertThat(Message.ofLine(new Message.End().toLine())).isEqualTo(new Message.End());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "OpenJDK warning: …", "#gleaner", "run\t1\tstatus=ok"})
  void otherLinesAreNoMessages(String line) {
    assertThat(Message.ofLine(line)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#gleaner\twhat",
        "#gleaner\trun\tx\tstatus=ok",
        "#gleaner\trun\t1\tstatus",
        "#gleaner\trun\t1\tspeed=1",
        "#gleaner\trun\t1\tmemory=1",
        "#gleaner\trun\t1\tpauses=1",
        "#gleaner\tprogress\t?"
      })
  void damagedLinesAreErrors(String line) {
    assertThatIllegalArgumentException().isThrownBy(() -> Message.ofLine(line));
  }
}
