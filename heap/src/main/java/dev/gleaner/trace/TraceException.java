package dev.gleaner.trace;

import java.nio.file.Path;
import org.apiguardian.api.API;

/** A file that is no trace, or is damaged or cut off; the message has the place. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long offset;

  TraceException(Path file, long offset, String what) {
    super(file + ": byte " + offset + ": " + what);
    this.offset = offset;
  }

  /** {@return where in the file, in bytes from its start} */
  public long offset() {
    return offset;
  }
}
