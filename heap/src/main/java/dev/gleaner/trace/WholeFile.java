package dev.gleaner.trace;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written whole or not at all, whatever ends this JVM.
 *
 * <pre>
 *   open      NAME.PID.part beside NAME; what NAME was stays
 *   complete  the part is moved to NAME, at once
 *   close     without complete, or the end of this JVM: the part is deleted
 * </pre>
 *
 * Only SIGKILL leaves a part, which anybody may delete. What is there already and is no regular
 * file (a device, a pipe) is written as it is.
 */
@API(status = API.Status.INTERNAL)
public final class WholeFile implements Closeable {
  private final Path file;
  private final @Nullable Path part;

  /** No channel, which an interrupt of the program's would close. */
  private final OutputStream out;

  /**
   * Opens it.
   *
   * @param file its name once it is complete
   * @throws IOException if it cannot be written
   */
  public WholeFile(Path file) throws IOException {
    if (Files.exists(file) && !Files.isWritable(file)) {
      throw new IOException("it must not be written");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      this.file = file;
      part = null;
      out = new FileOutputStream(file.toFile());
      return;
    }
    this.file = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    Path beside =
        this.file.resolveSibling(
            this.file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    part = beside;
    out = new FileOutputStream(beside.toFile());
    beside.toFile().deleteOnExit();
  }

  /**
   * Writes a text in UTF-8.
   *
   * @param file its name
   * @param text all that is in it
   * @throws IOException if it cannot be written; the file is as it was
   */
  public static void write(Path file, String text) throws IOException {
    try (WholeFile whole = new WholeFile(file)) {
      whole.out().write(text.getBytes(StandardCharsets.UTF_8));
      whole.complete();
    }
  }

  /** {@return where to write; unbuffered} */
  public OutputStream out() {
    return out;
  }

  /**
   * Gives the file its name; nothing can be written any more.
   *
   * @throws IOException if the last bytes cannot be written, or the name cannot be given
   */
  public void complete() throws IOException {
    out.close();
    if (part != null) {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
    if (part != null) {
      Files.deleteIfExists(part);
    }
  }
}
