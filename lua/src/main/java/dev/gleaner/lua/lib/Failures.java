package dev.gleaner.lua.lib;

import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Paths;
import dev.gleaner.util.SystemErrors;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What went wrong with files, as C says it: a message and a number. */
final class Failures {
  /** Input and output that failed for a reason that has no name. */
  static final String ANY = "Input/output error";

  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("Operation not permitted", 1),
          Map.entry("No such file or directory", 2),
          Map.entry(ANY, 5),
          Map.entry("Bad file descriptor", 9),
          Map.entry("Permission denied", 13),
          Map.entry("File exists", 17),
          Map.entry("Invalid cross-device link", 18),
          Map.entry("Not a directory", 20),
          Map.entry("Is a directory", 21),
          Map.entry("Invalid argument", 22),
          Map.entry("Too many open files", 24),
          Map.entry("File too large", 27),
          Map.entry("No space left on device", 28),
          Map.entry("Illegal seek", 29),
          Map.entry("Read-only file system", 30),
          Map.entry("Broken pipe", 32),
          Map.entry("File name too long", 36),
          Map.entry("Directory not empty", 39),
          Map.entry("Too many levels of symbolic links", 40));

  private Failures() {}

  /** What C calls it. */
  static String reason(Exception e) {
    String reason =
        switch (e) {
          case NoSuchFileException x -> "No such file or directory";
          case AccessDeniedException x -> "Permission denied";
          case DirectoryNotEmptyException x -> "Directory not empty";
          case FileAlreadyExistsException x -> "File exists";
          case FileSystemException x -> x.getReason();
          case InvalidPathException x when x.getReason().equals(Paths.TOO_LONG) -> Paths.TOO_LONG;
          case InvalidPathException x -> "No such file or directory";
          case IOException x -> x.getMessage();
          default -> ANY;
        };
    if (reason == null) {
      return ANY;
    }
    for (String known : NUMBERS.keySet()) {
      if (reason.contains(known)) {
        return known;
      }
    }
    return inEnglish(reason);
  }

  /** Looks for the longest text of the system's language that the JVM's message has. */
  private static String inEnglish(String reason) {
    String found = reason;
    int longest = 0;
    for (Map.Entry<String, Integer> known : NUMBERS.entrySet()) {
      String text = SystemErrors.text(known.getValue());
      if (text.length() > longest && reason.contains(text)) {
        found = known.getKey();
        longest = text.length();
      }
    }
    return found;
  }

  /** Answers nil, a message and a number. */
  static int results(Arguments a, Exception e, @Nullable String name) {
    return results(a, reason(e), name);
  }

  /** Answers nil, a message and a number. */
  static int results(Arguments a, String reason, @Nullable String name) {
    int first = a.scratch(3);
    a.setString(first + 1, name == null ? reason : name + ": " + reason);
    a.setInteger(first + 2, NUMBERS.getOrDefault(reason, 5));
    return a.results(first, 3);
  }
}
