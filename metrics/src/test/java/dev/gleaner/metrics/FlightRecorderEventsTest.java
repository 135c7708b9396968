package dev.gleaner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.testing.TestProviders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap that is opened while the recorder runs has events, with nothing to be done for it. */
class FlightRecorderEventsTest {
  @TempDir private Path folder;

  private Heap open() throws IOException {
    return Gleaner.factory(
            ConfigFactory.parseString("gleaner.collector = plain"),
            List.of(TestProviders.loader(folder)))
        .open("recorded");
  }

  @Test
  void collectionsAreInARecording() throws Exception {
    Path file = folder.resolve("collections.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.gleaner.Collection");
      recording.start();
      try (Heap heap = open()) {
        heap.collect();
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(e -> e.getEventType().getName().equals("dev.gleaner.Collection"))
            .toList();
    assertThat(events).isNotEmpty();
    RecordedEvent first = events.getFirst();
    assertThat(first.getString("heap")).isEqualTo("recorded");
    assertThat(first.getString("collector")).isEqualTo("plain");
    assertThat(first.getString("cause")).isEqualTo("explicit");
    assertThat(first.getString("action")).isEqualTo("full");
    assertThat(first.getBoolean("finished")).isTrue();
    assertThat(first.getLong("usedBefore")).isPositive();
    assertThat(first.getDuration("pause")).isPositive();
    assertThat(first.getDuration()).isGreaterThanOrEqualTo(first.getDuration("pause"));
    assertThat(first.getEventType().getCategoryNames()).containsExactly("Gleaner");
  }

  @Test
  void whatGoesWrongIsInARecording() throws Exception {
    Path file = folder.resolve("faults.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.gleaner.HeapExhausted");
      recording.enable("dev.gleaner.FinalizerFailed");
      recording.start();
      try (Heap heap = open()) {
        heap.mutator().enter(1);
        heap.mutator().newRecord(0, 1);
        heap.mutator()
            .setFinalizer(
                0,
                "farewell",
                (t, closing) -> {
                  throw new IllegalStateException("on purpose");
                });
        assertThatThrownBy(() -> heap.mutator().newBuffer(0, 1L << 40))
            .isInstanceOf(HeapExhaustedException.class);
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(events)
        .extracting(e -> e.getEventType().getName() + " " + e.getString("heap"))
        .contains("dev.gleaner.HeapExhausted recorded", "dev.gleaner.FinalizerFailed recorded");
    for (RecordedEvent e : events) {
      if (e.getEventType().getName().equals("dev.gleaner.HeapExhausted")) {
        assertThat(e.getLong("requested")).isGreaterThanOrEqualTo(1L << 40);
        assertThat(e.getLong("limit")).isPositive();
      } else if (e.getEventType().getName().equals("dev.gleaner.FinalizerFailed")) {
        assertThat(e.getString("label")).isEqualTo("farewell");
        assertThat(e.getString("error")).endsWith("on purpose");
      }
    }
  }
}
