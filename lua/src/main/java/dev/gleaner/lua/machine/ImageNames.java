package dev.gleaner.lua.machine;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The names that Java objects of a machine have in an image. The first byte says what the name is
 * of; numbers are as {@link DataOutputStream} writes them.
 *
 * <pre>
 *   role           byte  of                            then
 *   code number    L     a library function            its key
 *                  H     a function of the host        a number of its own, its name
 *                  C     a function of a chunk         the chunk's number, the function's index
 *   Java object    U     a chunk                       its number, the code as string.dump gives it
 *                  H     a function of the host        its number
 *                  O     an object of the host         the name that the host has bound
 *                  T     an object of a bound type     a number of its own, the type's name, its state
 *                  R     a routine of the host         the name that the host has bound
 *                  F     an object of a library        the name that the library gives
 *                  S     the machine                   what libraries keep: names, with numbers
 *   callback       U     a chunk
 *                  O     what the guest pays for       a number of its own, the kind, the bytes
 *   thread         T     a coroutine                   a number of its own, its state
 *   finalizer      S, L  __gc of a script, of a library
 * </pre>
 */
final class ImageNames {
  static final int LIBRARY = 'L';
  static final int HOST = 'H';
  static final int OF_CHUNK = 'C';
  static final int CHUNK = 'U';
  static final int OBJECT = 'O';
  static final int TYPED = 'T';
  static final int ROUTINE = 'R';
  static final int FILE = 'F';
  static final int MACHINE = 'S';
  static final int SCRIPT = 'S';

  /** The root that leads to the native element of the machine. */
  static final String STATE = "state";

  private ImageNames() {}

  /** Stands for the machine in its native element. */
  static final class Marker {}

  /** A name, as it grows. */
  static final class Name {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    Name(int of) {
      bytes.write(of);
    }

    Name octet(int n) {
      bytes.write(n);
      return this;
    }

    Name number(int n) {
      try {
        out.writeInt(n);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    Name big(long n) {
      try {
        out.writeLong(n);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    /** Adds a text with its length. */
    Name text(String text) {
      byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
      return number(encoded.length).rest(encoded);
    }

    Name rest(String text) {
      return rest(text.getBytes(StandardCharsets.UTF_8));
    }

    Name rest(byte[] all) {
      bytes.writeBytes(all);
      return this;
    }

    byte[] toBytes() {
      return bytes.toByteArray();
    }
  }
}
