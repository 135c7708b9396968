package dev.gleaner.lab;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The standard output, which says whether all of it was written: a {@code PrintStream} keeps that
 * to itself, and a full disk or a closed pipe would look like success. After the first failure
 * nothing more is tried.
 */
final class Output extends OutputStream {
  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private @Nullable IOException failure;

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (failure == null) {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  /** Returns why something is missing; null if nothing is. */
  @Nullable String problem() {
    return failure == null
        ? null
        : "the standard output cannot be written: " + failure.getMessage();
  }
}
