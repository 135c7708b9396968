package dev.gleaner.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A seed for each heap, from a secret of the JVM: numbers in a row, mixed with one half of it
 * before and the other half behind, so that who knows one seed knows no other.
 *
 * <p>The secret is read from the system's file of random bytes where there is one: the first number
 * of a {@link SecureRandom} takes a tenth of a second.
 */
final class HashSeeds {
  private static final ByteBuffer SECRET = ByteBuffer.wrap(secret());
  private static final AtomicLong NEXT = new AtomicLong();

  private HashSeeds() {}

  /** A seed that nobody can foresee. */
  static long next() {
    return mix(
        mix(NEXT.getAndIncrement() * 0x9E3779B97F4A7C15L + SECRET.getLong(0)) ^ SECRET.getLong(8));
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long value) {
    long m = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    m = (m ^ (m >>> 27)) * 0x94D049BB133111EBL;
    return m ^ (m >>> 31);
  }

  private static byte[] secret() {
    try (InputStream in = Files.newInputStream(Path.of("/dev/urandom"))) {
      byte[] bytes = in.readNBytes(16);
      if (bytes.length == 16) {
        return bytes;
      }
    } catch (IOException e) {
      // as on Windows
    }
    byte[] bytes = new byte[16];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }
}
