package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HprofReaderTest {
  @TempDir private Path folder;

  /** Writes down what it is told; reads the contents of some objects only. */
  private static final class Transcript implements HprofVisitor {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void root(HprofRoot kind, long id) {
      lines.add("root %x".formatted(id));
    }

    @Override
    public void classDump(HprofClass dumped) {
      lines.add(
          "class %x extends %x fields %d references %d bytes %d"
              .formatted(
                  dumped.id(),
                  dumped.superId(),
                  dumped.fields().length,
                  dumped.references().length,
                  dumped.staticBytes()));
    }

    @Override
    public void instance(long id, long classId, long bytes, HprofInput in) {
      lines.add("instance %x of %x".formatted(id, classId));
    }

    @Override
    public void objectArray(long id, long classId, int length, HprofInput in) {
      lines.add("array %x of %d, first %x".formatted(id, length, length == 0 ? 0 : in.id()));
    }

    @Override
    public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
      byte[] contents = new byte[length];
      in.bytes(contents, 0, length);
      lines.add("%s array %x %s".formatted(type, id, Arrays.toString(contents)));
    }
  }

  private static List<String> read(Path file) {
    Transcript transcript = new Transcript();
    new HprofReader(file).read(transcript);
    return transcript.lines;
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void readsEveryKindOfEntry(int idSize) throws IOException {
    assertThat(read(HprofFile.example(idSize).save(folder)))
        .containsExactly(
            "root 10",
            "class 10 extends 0 fields 0 references 0 bytes 0",
            "class 20 extends 10 fields 2 references 3 bytes 5",
            "class 30 extends 20 fields 2 references 1 bytes 0",
            "instance 100 of 20",
            "instance f0000000 of 30",
            "array 300 of 4, first 100",
            "BYTE array 400 [1, 2, 3]",
            "root 100",
            "root 100",
            "root f0000000",
            "root 300",
            "root 400",
            "root 100",
            "root 999",
            "root 100");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0.1", "1.0.2"})
  void readsAHeapDumpInOneRecord(String version) throws IOException {
    Path file =
        new HprofFile(8).header(version).record(0x0c, to -> to.byteArray(5, (byte) 1)).save(folder);
    assertThat(read(file)).containsExactly("BYTE array 5 [1]");
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void saysWhereAFileThatIsTruncatedEnds(int idSize) throws IOException {
    byte[] whole = HprofFile.example(idSize).bytes();
    for (int length = 0; length < whole.length; length++) {
      Path file = Files.write(folder.resolve("cut.hprof"), Arrays.copyOf(whole, length));
      String expected =
          length == 0 ? "is no HPROF heap dump" : "truncated: it ends at byte " + length;
      assertThatExceptionOfType(HprofException.class)
          .as("cut at %d", length)
          .isThrownBy(() -> read(file))
          .withMessageContaining(expected)
          .withMessageContaining("cut.hprof");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void survivesAnyByteThatIsWrong(int idSize) throws IOException {
    byte[] whole = HprofFile.example(idSize).bytes();
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) 0xff;
      Path file = Files.write(folder.resolve("damaged.hprof"), damaged);
      try {
        read(file);
      } catch (HprofException e) {
        assertThat(e).hasMessageContaining("damaged.hprof: ");
      }
    }
  }

  @Test
  void namesTheOffsetOfAnUnknownEntry() throws IOException {
    Path file = new HprofFile(8).header("1.0.2").record(0x1c, to -> to.u1(0x55)).save(folder);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(HprofException.class)
        .hasMessageContaining("damaged at byte 40: no such kind of entry: 0x55");
  }

  @Test
  void takesNoMemoryForALengthThatIsNotThere() throws IOException {
    Path file =
        new HprofFile(8)
            .header("1.0.2")
            .record(0x1c, to -> to.u1(0x22).id(1).u4(0).u4(0xffff_ffffL).id(1))
            .save(folder);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(HprofException.class)
        .hasMessageContaining("an object of 34359738360 bytes, but the record has only 0 more");
  }

  @Test
  void refusesIdentifiersOfAnotherSize() throws IOException {
    Path file = new HprofFile(2).header("1.0.2").save(folder);
    assertThatThrownBy(() -> read(file)).hasMessageContaining("identifiers of 2 bytes");
  }

  @Test
  void knowsWhatIsNoHeapDump() throws IOException {
    Path text = Files.writeString(folder.resolve("a.txt"), "Hello, this is no heap dump.");
    assertThatThrownBy(() -> new HprofReader(text).check())
        .hasMessageContaining("is no HPROF heap dump");
    Path zipped = Files.write(folder.resolve("a.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0});
    assertThatThrownBy(() -> new HprofReader(zipped).check()).hasMessageContaining("compressed");
    Path newer = new HprofFile(8).header("1.0.3").save(folder);
    assertThatThrownBy(() -> new HprofReader(newer).check()).hasMessageContaining("version");
    assertThatThrownBy(() -> new HprofReader(folder.resolve("none")).check())
        .hasMessageContaining("there is no such file");
  }

  @Test
  void readsBeyondFourGibibytes() throws IOException {
    Path file = folder.resolve("huge.hprof");
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.write(new HprofFile(8).header("1.0.2").bytes());
      // Holes: the file takes little space on the disk.
      for (int i = 0; i < 2; i++) {
        out.write(new HprofFile(8).u1(0x01).u4(0).u4(0xffff_ffffL).bytes());
        out.seek(out.getFilePointer() + 0xffff_ffffL);
      }
      out.write(new HprofFile(8).record(0x1c, to -> to.u1(0x55)).bytes());
    }
    assertThatThrownBy(() -> read(file))
        .hasMessageContaining("damaged at byte 8589934648: no such kind of entry: 0x55");
  }
}
