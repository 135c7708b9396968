package dev.gleaner.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.DumpedHeap;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.table.Sorts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is too long for an array of Java, or a record of the file, is in several. */
class PartedArraysTest {
  private static final long ID = Ids.element(8);

  @TempDir private Path folder;

  /** Writes with arrays of at most 64 bytes, from a memory whose words hold their offsets. */
  private interface Part {
    void write(Entries entries, SnapshotClasses classes, Memory memory) throws IOException;
  }

  private DumpedHeap dump(Part part) throws IOException {
    Path file = folder.resolve("parts.hprof");
    try (Memory memory = Memory.open(1 << 20, 1 << 20, false);
        OutputStream to = Files.newOutputStream(file)) {
      for (int at = 8; at < 1 << 20; at += 8) {
        memory.put(at, Values.ofInt(at));
      }
      HprofOutput out = new HprofOutput(to);
      SnapshotClasses classes = new SnapshotClasses(new Sorts());
      Entries entries = new Entries(out, classes, memory, 64);
      out.start(0);
      classes.writeNames(out);
      classes.writeDumps(entries);
      part.write(entries, classes, memory);
      out.end();
    }
    return DumpedHeap.read(file);
  }

  @Test
  void partsValues() throws IOException {
    DumpedHeap dump =
        dump((entries, classes, _) -> entries.values(ID, classes.recordArray, 16, 19));
    List<Long> pieces = Objects.requireNonNull(dump.item(ID).references());
    assertThat(dump.item(ID).className()).isEqualTo("[Lgleaner.Record;");
    assertThat(pieces).hasSize(3);
    List<Object> values = new ArrayList<>();
    for (long piece : pieces) {
      assertThat(dump.item(piece).className()).isEqualTo("[Ljava.lang.Object;");
      for (long box : Objects.requireNonNull(dump.item(piece).references())) {
        values.add(dump.item(box).value("value"));
      }
    }
    assertThat(values).hasSize(19).startsWith(16, 24, 32).endsWith(16 + 18 * 8);
  }

  @Test
  void partsBytes() throws IOException {
    byte[] expected = new byte[200];
    DumpedHeap dump =
        dump((entries, _, memory) -> {
          memory.read(24, expected, 0, 200);
          entries.bytes(ID, 24, 200);
        });
    List<Long> pieces = Objects.requireNonNull(dump.item(ID).references());
    assertThat(pieces).hasSize(4);
    byte[] all = new byte[0];
    for (long piece : pieces) {
      byte[] part = Objects.requireNonNull(dump.item(piece).bytes());
      byte[] longer = java.util.Arrays.copyOf(all, all.length + part.length);
      System.arraycopy(part, 0, longer, all.length, part.length);
      all = longer;
    }
    assertThat(all).isEqualTo(expected);
  }

  /** An entry that fits no buffer is a segment of its own, and the next ones go on. */
  @Test
  void entriesMayBeLongerThanTheBuffer() throws IOException {
    Path file = folder.resolve("long.hprof");
    try (Memory memory = Memory.open(1 << 20, 1 << 20, false);
        OutputStream to = Files.newOutputStream(file)) {
      memory.putByte(999_999, (byte) 7);
      HprofOutput out = new HprofOutput(to);
      SnapshotClasses classes = new SnapshotClasses(new Sorts());
      Entries entries = new Entries(out, classes, memory, 1 << 30);
      out.start(0);
      classes.writeNames(out);
      entries.bytes(8, 0, 100);
      entries.bytes(16, 0, 1_000_000);
      entries.bytes(24, 0, 300);
      entries.values(32, classes.objectArray, 8, 100_000);
      entries.bytes(40, 0, 10);
      out.end();
    }
    DumpedHeap dump = DumpedHeap.read(file);
    assertThat(Objects.requireNonNull(dump.item(16).bytes())).hasSize(1_000_000).endsWith(7);
    assertThat(dump.item(24).bytes()).hasSize(300);
    assertThat(dump.item(32).references()).hasSize(100_000);
    assertThat(dump.item(40).bytes()).hasSize(10);
  }
}
