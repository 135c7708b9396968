package dev.gleaner.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a sweep, and their journals read as one, on simulated figures. */
class ShardTest {
  private static final int COUNT = 4;
  private static final List<String> KEYS =
      IntStream.range(0, 19).mapToObj(i -> "trial " + i).toList();

  @TempDir private Path folder;

  private static List<RunResult> runs(String key) {
    double i = KEYS.indexOf(key);
    return List.of(Trials.run(1 + (i * 7) % 19, 100 + i, 0.001 * i));
  }

  private Path file(int index) {
    return folder.resolve(new Shard(index, COUNT).fileName());
  }

  private void write(int index, String machine) throws IOException {
    Shard shard = new Shard(index, COUNT);
    Journal journal = Journal.read(file(index));
    journal.begin(shard);
    for (String key : shard.of(KEYS)) {
      journal.add(key, machine, runs(key));
    }
  }

  private void writeAll() throws IOException {
    for (int index = 1; index <= COUNT; index++) {
      write(index, "m");
    }
  }

  private static Trial trial(String key, List<RunResult> runs) {
    return new Trial(Trials.tuning(KEYS.indexOf(key)), runs);
  }

  @Test
  void everyTrialIsInOneShard() {
    for (int count = 1; count <= KEYS.size() + 1; count++) {
      List<String> all = new ArrayList<>();
      for (int index = 1; index <= count; index++) {
        all.addAll(new Shard(index, count).of(KEYS));
      }
      assertThat(all).containsExactlyInAnyOrderElementsOf(KEYS);
    }
  }

  @Test
  void shardsSideBySideChooseAsOneRunDoes() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int index = 1; index <= COUNT; index++) {
      int own = index;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  write(own, "m");
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    MergedJournals merged = MergedJournals.read(folder);
    assertThat(merged.missing(KEYS)).isEmpty();
    assertThat(merged.remarks(KEYS)).isEmpty();
    List<Trial> once = KEYS.stream().map(key -> trial(key, runs(key))).toList();
    List<Trial> together = new ArrayList<>();
    for (String key : KEYS) {
      List<RunResult> found = merged.runs(key);
      assertThat(found).isNotNull();
      together.add(trial(key, List.copyOf(found)));
    }
    assertThat(together).isEqualTo(once);
    TradeOff.Limits limits = new TradeOff.Limits(110L, null);
    assertThat(TradeOff.of(together, limits)).isEqualTo(TradeOff.of(once, limits));
    assertThat(Finals.choose(together, limits)).isEqualTo(Finals.choose(once, limits));
  }

  @Test
  void aShardThatIsMissingIsSaid() throws IOException {
    writeAll();
    Files.delete(file(3));
    assertThat(MergedJournals.read(folder).missing(KEYS))
        .containsExactly(
            "5 of 19 trials are missing in 3 journals", "shard 3/4 has no journal here: run it");
    Files.delete(file(2));
    Files.delete(file(1));
    assertThat(MergedJournals.read(folder).missing(KEYS))
        .contains("15 of 19 trials are missing in 1 journal");
  }

  @Test
  void aShardThatIsCutIsSaidAndDoesTheRest() throws IOException {
    writeAll();
    String text = Files.readString(file(2));
    Files.writeString(file(2), text.substring(0, text.length() - 40));
    assertThat(MergedJournals.read(folder).missing(KEYS))
        .containsExactly(
            "gleaner-tune-2-of-4.jsonl: 1 line is no trial (cut off?)",
            "1 of 19 trials are missing in 4 journals",
            "shard 2/4 lacks 1 of its 5: run it again, it does the rest");
    Journal again = Journal.read(file(2));
    again.begin(new Shard(2, COUNT));
    String last = new Shard(2, COUNT).of(KEYS).getLast();
    assertThat(again.runs(last, "m")).isNull();
    again.add(last, "m", runs(last));
    assertThat(MergedJournals.read(folder).missing(KEYS)).isEmpty();
  }

  @Test
  void aShardThatIsDoubledIsSaidAndCountsOnce() throws IOException {
    writeAll();
    Files.copy(file(1), folder.resolve("x.jsonl"));
    MergedJournals merged = MergedJournals.read(folder);
    assertThat(merged.missing(KEYS)).isEmpty();
    assertThat(merged.remarks(KEYS))
        .containsExactly(
            "shard 1/4 is there 2 times: gleaner-tune-1-of-4.jsonl, x.jsonl",
            "5 trials are there more than once; each counts once");
    assertThat(merged.runs(KEYS.getFirst())).hasSize(1);
  }

  @Test
  void machinesThatDifferAreSaid() throws IOException {
    for (int index = 1; index <= COUNT; index++) {
      write(index, index == 4 ? "another" : "m");
    }
    assertThat(MergedJournals.read(folder).remarks(KEYS))
        .singleElement()
        .asString()
        .contains("from machines that differ", "another; m");
    assertThat(Journal.read(file(4)).runs("trial 3", "m")).isNull();
    assertThat(Journal.read(file(4)).runs("trial 3", "another")).isNotNull();
  }

  @Test
  void aFolderOfOtherSweepsLacksAll() throws IOException {
    writeAll();
    Files.write(folder.resolve("y.jsonl"), "\n".getBytes(StandardCharsets.UTF_8));
    assertThat(MergedJournals.read(folder).missing(List.of("a", "b")))
        .contains("2 of 2 trials are missing in 5 journals")
        .last()
        .isEqualTo("are the collector, workload, settings and runs those of the shards?");
  }

  @ParameterizedTest
  @CsvSource({"1/1,1,1", "2/4,2,4", "12/345,12,345"})
  void isRead(String text, int index, int count) {
    assertThat(Shard.parse(text, Map.of())).isEqualTo(new Shard(index, count));
    assertThat(Shard.parse(text, Map.of())).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0/4", "5/4", "1", "1/", "/4", "-1/4", "1/0", "a/b", "1/4/2", "automatic"})
  void isRefused(String text) {
    assertThatThrownBy(() -> Shard.parse(text, Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void slurmAndKubernetesSayWhichItIs() {
    assertThat(
            Shard.parse(
                "auto",
                Map.of(
                    "SLURM_ARRAY_TASK_ID", "9",
                    "SLURM_ARRAY_TASK_MIN", "1",
                    "SLURM_ARRAY_TASK_STEP", "4",
                    "SLURM_ARRAY_TASK_COUNT", "3")))
        .isEqualTo(new Shard(3, 3));
    assertThat(
            Shard.parse("auto", Map.of("JOB_COMPLETION_INDEX", "0", "JOB_COMPLETION_COUNT", "4")))
        .isEqualTo(new Shard(1, 4));
    assertThatThrownBy(() -> Shard.parse("auto", Map.of("JOB_COMPLETION_INDEX", "0")))
        .hasMessage("JOB_COMPLETION_COUNT is not set; give it the job's completions");
    assertThatThrownBy(() -> Shard.parse("auto", Map.of()))
        .hasMessageContaining("SLURM_ARRAY_TASK_ID");
  }
}
