package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.lab.hprof.Inspection;
import dev.gleaner.lab.output.ImageReport;
import dev.gleaner.lab.output.InspectionReport;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.ImageException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Looks at a heap image: opens it as a heap in which nothing of the host's does anything, and reads
 * a dump of that heap as any other one. So an image is shown only if it can be opened.
 */
record ImageView(Path file, HeapImage image) {
  /** The first bytes of an image, as docs/internal/image-format.md says. */
  private static final byte[] MAGIC = "GLEANIMG".getBytes(StandardCharsets.US_ASCII);

  /** The limit of the heap: at least this, and so many bytes for each byte of the image. */
  private static final long LEAST_MEMORY = 1L << 30;

  private static final long MEMORY_PER_BYTE = 64;

  /** Whether a file begins as an image. */
  static boolean isImage(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(MAGIC.length), MAGIC);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Reads an image.
   *
   * @throws RequestException if it cannot be read or is damaged; the message says where
   */
  static ImageView of(Path file) {
    try {
      return new ImageView(file, HeapImage.read(file));
    } catch (ImageException e) {
      throw new RequestException(file + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new RequestException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Gives a stand-in for whatever an image names, and lists the names. */
  private static final class Names implements ImageBindings {
    final List<String> names = new ArrayList<>();
    final List<String> globals = new ArrayList<>();

    @Override
    public byte[] write(Role role, Object object) {
      throw new IllegalStateException("nothing is saved");
    }

    @Override
    public Object read(Role role, byte[] name) {
      String text = text(name);
      names.add(role.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + text);
      return switch (role) {
        case FINALIZER -> (Finalizer) (_, _) -> {};
        case FREE_CALLBACK -> (FreeCallback) (_, _) -> {};
        case CODE -> names.size();
        case NATIVE, THREAD_OBJECT -> text;
      };
    }

    /** Returns a name that is a text as that; of another, which may be a state, the size. */
    private static String text(byte[] name) {
      String text = new String(name, StandardCharsets.UTF_8);
      boolean isText = text.chars().noneMatch(c -> c == 0 || c == '\uFFFD');
      return isText ? '"' + text + '"' : "of " + name.length + " bytes";
    }

    @Override
    public void global(String name, GlobalRef ref) {
      globals.add('"' + name + '"');
    }
  }

  /**
   * Returns what is in the image.
   *
   * @param top how many names, frames, classes and objects are shown
   * @param width the most characters of a line
   * @throws RequestException if the image cannot be opened; the message says where it is wrong
   */
  List<String> lines(int top, int width) {
    Names names = new Names();
    try (Heap heap = open(names)) {
      Map<Kind, ImageReport.Count> kinds = new EnumMap<>(Kind.class);
      heap.inspect()
          .forEachElement((kind, bytes) ->
              kinds.merge(kind, new ImageReport.Count(1, bytes), ImageReport.Count::plus));
      ImageReport report =
          new ImageReport(
              file,
              image,
              heap.statistics().usedBytes(),
              kinds,
              names.names,
              names.globals,
              heap.inspect().frames().lines().toList());
      List<String> lines = new ArrayList<>(report.lines(top, width));
      lines.add("");
      lines.addAll(
          inspected(heap, inspection -> InspectionReport.lines(file, inspection, top, width)));
      return lines;
    }
  }

  /** Returns how a root leads to an object of the dump. */
  List<String> path(long id, int width) {
    try (Heap heap = open(new Names())) {
      return inspected(heap, inspection -> InspectionReport.path(id, inspection, width));
    }
  }

  private Heap open(Names names) {
    long most = Math.max(LEAST_MEMORY, image.size() * MEMORY_PER_BYTE);
    Config config =
        ConfigFactory.parseString("gleaner.memory.max = " + most)
            .withFallback(ConfigFactory.load());
    try {
      return Gleaner.factory(config).open(image, names);
    } catch (ImageException e) {
      throw new RequestException(file + ": " + e.getMessage(), e);
    } catch (HeapExhaustedException e) {
      throw new RequestException(
          "%s: its elements need more than %d MiB".formatted(file, most >> 20), e);
    }
  }

  /** Does something with a dump of a heap. */
  @FunctionalInterface
  private interface Look {
    List<String> at(Inspection inspection);
  }

  private static List<String> inspected(Heap heap, Look look) {
    try {
      Path dump = Files.createTempFile("gleaner-image", ".hprof");
      try {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(dump))) {
          heap.inspect().writeSnapshot(out);
        }
        return look.at(Inspection.of(dump));
      } finally {
        boolean _ = Files.deleteIfExists(dump);
      }
    } catch (IOException e) {
      throw new RequestException("the temporary file for the dump: " + e, e);
    }
  }
}
