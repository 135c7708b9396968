package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcLogTest {
  @TempDir private Path folder;

  @Test
  void countsThePausesSinceTheLastSkip() throws IOException {
    Path file = folder.resolve("gc.log");
    Files.writeString(
        file,
        """
        [1000000ns] Using Serial
        [2000000ns] GC(0) Pause Young (Allocation Failure) 1092M->1M(3959M) 900.000ms
        """);
    GcLog log = new GcLog(file);
    Files.writeString(
        file,
        """
        [5002345000ns] GC(1) Pause Young (Allocation Failure) 1093M->1M(3959M) 2.345ms
        [6000000000ns] GC(2) Pause Full (System.gc()) 20M->1M(3959M) 10.000ms
        [6000100000ns] GC(3) Concurrent Mark Cycle
        """,
        StandardOpenOption.APPEND);
    log.read(Long.MAX_VALUE);
    assertThat(log.collections()).isEqualTo(2);
    assertThat(log.totalSeconds()).isCloseTo(0.012345, within(1e-9));
    assertThat(log.mostUsedBytes()).isEqualTo(1093L << 20);
    assertThat(log.changes())
        .containsExactly(
            new GcLog.Change(5_000_000_000L, 1093L << 20),
            new GcLog.Change(5_002_345_000L, 1L << 20),
            new GcLog.Change(5_990_000_000L, 20L << 20),
            new GcLog.Change(6_000_000_000L, 1L << 20));
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    log.pauses().putInto(figures);
    assertThat(figures.get(Figure.PAUSE_SECONDS_MAX)).isEqualTo(0.01);
    log.skip(0);
    assertThat(log.collections()).isZero();
    assertThat(log.changes()).isEmpty();
  }

  /** A pause that was over before the run began, or that begins after it, is none of its. */
  @Test
  void leavesOutPausesThatAreWrittenLate() throws IOException {
    Path file = folder.resolve("gc.log");
    Files.writeString(file, "");
    GcLog log = new GcLog(file);
    log.skip(5_000_000_000L);
    Files.writeString(
        file,
        """
        [5000100000ns] GC(0) Pause Full (System.gc()) 20M->1M(3959M) 30.000ms
        [5010000000ns] GC(1) Pause Young (Allocation Failure) 90M->1M(3959M) 10.000ms
        [5020000000ns] GC(2) Pause Young (Allocation Failure) 99M->1M(3959M) 10.000ms
        """);
    log.read(5_010_000_000L);
    assertThat(log.collections()).isEqualTo(1);
    assertThat(log.totalSeconds()).isEqualTo(0.01);
    assertThat(log.mostUsedBytes()).isEqualTo(90L << 20);
  }
}
