package dev.gleaner.lua.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Names of files. Scripts use bytes, here Java strings in ISO 8859-1; the system uses text. */
public final class Paths {
  private static final String CHARACTERS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final int RANDOM_CHARACTERS = 6;
  private static final int MOST_TRIES = 100;
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(
          Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

  /** The most bytes of a path, as in Linux. */
  private static final int MOST_BYTES = 4095;

  /** The reason why a long path is refused. */
  public static final String TOO_LONG = "File name too long";

  private Paths() {}

  /**
   * {@return text up to where C ends it}
   *
   * @param text bytes in ISO 8859-1
   */
  public static String upToZero(String text) {
    int zero = text.indexOf('\0');
    return zero < 0 ? text : text.substring(0, zero);
  }

  /** Returns bytes as text, up to a zero byte as in C. */
  public static String text(String bytes) {
    return new String(
        upToZero(bytes).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Returns text as bytes. */
  public static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns the path of a name in bytes.
   *
   * @throws InvalidPathException if no file can have the name
   */
  public static Path path(String bytes) {
    String name = upToZero(bytes);
    if (name.length() > MOST_BYTES) {
      throw new InvalidPathException(name.substring(0, MOST_BYTES), TOO_LONG);
    }
    return Path.of(text(bytes));
  }

  /** Makes an empty file in the folder for temporary files, and returns the path. */
  public static Path temporary() throws IOException {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    for (int tries = 0; ; tries++) {
      StringBuilder name = new StringBuilder("lua_");
      ThreadLocalRandom random = ThreadLocalRandom.current();
      for (int i = 0; i < RANDOM_CHARACTERS; i++) {
        name.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
      }
      try {
        return Files.createFile(folder.resolve(name.toString()), OWNER_ONLY);
      } catch (FileAlreadyExistsException e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
      } catch (UnsupportedOperationException e) {
        return Files.createTempFile("lua_", ""); // the system has no such permissions
      }
    }
  }
}
