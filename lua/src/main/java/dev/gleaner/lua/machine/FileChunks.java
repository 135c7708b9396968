package dev.gleaner.lua.machine;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.memory.Account;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The functions dofile, loadfile and require. They exist only if files are granted. */
final class FileChunks {
  private static final int PIECE = 8192;

  private static final String TRIED = "\n\tno file '";

  /** The copies of a text while a builder grows, or makes a string. */
  private static final int COPIES = 3;

  private static final String TEMPLATES = "./?.lua;./?/init.lua";

  private FileChunks() {}

  static void open(Machine machine) {
    Registration _ =
        new Registration(machine, "_G", 0)
            .add("loadfile", FileChunks::loadfile)
            .add("dofile", FileChunks::dofile)
            .add("require", FileChunks::require);
    Registration _ =
        new Registration(machine, "package", 6)
            .add("path", TEMPLATES)
            .add("config", "/\n;\n?\n!\n-\n")
            .add("searchpath", FileChunks::searchpath)
            .with(table -> {
              machine.setString(1, "loaded");
              machine.loadLoaded(2);
              machine.rawSet(table, 1, 2);
              machine.setString(1, "preload");
              machine.newTable(2);
              machine.rawSet(table, 1, 2);
            });
  }

  private static byte[] read(Arguments a, @Nullable String name, Account.Loan loan)
      throws IOException {
    Path path = name == null ? null : path(name);
    try (InputStream in = path == null ? a.machine().sandbox().in() : Files.newInputStream(path)) {
      SourceBuffer all = new SourceBuffer(a, loan);
      loan.add(PIECE);
      byte[] piece = new byte[PIECE];
      int n = in.readNBytes(piece, 0, PIECE);
      boolean comment = n > 0 && piece[0] == '#';
      while (n > 0) {
        int from = comment ? firstLine(piece, n) : 0;
        comment &= from == n;
        all.append(piece, from, n - from);
        n = in.readNBytes(piece, 0, PIECE);
      }
      return all.whole();
    }
  }

  /** Returns the number of bytes before the end of the first line. */
  private static int firstLine(byte[] bytes, int n) {
    int i = 0;
    while (i < n && bytes[i] != '\n') {
      i++;
    }
    return i;
  }

  private static Path path(String name) throws IOException {
    try {
      return Paths.path(name);
    } catch (InvalidPathException e) {
      throw e.getReason().equals(Paths.TOO_LONG)
          ? new IOException(Paths.TOO_LONG)
          : new NoSuchFileException(name);
    }
  }

  private static String reason(IOException e) {
    return e instanceof NoSuchFileException ? "No such file or directory" : "" + e.getMessage();
  }

  private static int load(Arguments a, @Nullable String name, String mode, int environment) {
    Machine m = a.machine();
    try (Account.Loan loan = m.account().borrow()) {
      byte[] bytes = read(a, name, loan);
      String source = name == null ? "=stdin" : "@" + name;
      return Chunks.load(a, bytes, source, mode, environment, loan);
    } catch (IOException e) {
      int x = a.scratch(2);
      m.setString(x + 1, "cannot open " + name + ": " + reason(e));
      return a.results(x, 2);
    }
  }

  private static @Nullable String name(Arguments a) {
    if (a.isNoneOrNil(1)) {
      return null;
    }
    a.checkString(1);
    return a.machine().string(1);
  }

  private static int loadfile(Arguments a) {
    String mode = a.option(2, "bt");
    int x = a.scratch(1);
    if (a.count() >= 3) {
      a.mutator().copy(x, 3);
    } else {
      a.machine().loadGlobals(x);
    }
    return load(a, name(a), mode, x);
  }

  private static int dofile(Arguments a) {
    int x = a.scratch(1);
    a.machine().loadGlobals(x);
    if (load(a, name(a), "bt", x) != 1) {
      throw a.machine().error(a.firstResult() + 1);
    }
    int first = a.firstResult();
    int n = a.machine().call(first, 0, Return.ALL);
    return a.results(first, n);
  }

  // ---- require ----

  private static int require(Arguments a) {
    Machine m = a.machine();
    a.checkString(1);
    String name = m.string(1);
    int x = a.scratch(5);
    m.loadLoaded(x);
    m.rawGet(x + 1, x, 1);
    if (isTrue(a, x + 1)) {
      return a.one(x + 1);
    }
    String where = find(a, x, name);
    m.setString(x + 3, where);
    a.mutator().copy(x + 4, x + 3);
    a.mutator().copy(x + 2, 1);
    int loader = x + 1;
    int _ = m.call(loader, 2, 1);
    m.loadLoaded(x);
    if (a.mutator().get(loader) != Values.UNDEFINED) {
      m.rawSet(x, 1, loader);
    }
    m.rawGet(loader, x, 1);
    if (a.mutator().get(loader) == Values.UNDEFINED) {
      a.mutator().set(loader, Values.TRUE);
      m.rawSet(x, 1, loader);
    }
    m.setString(x + 2, where);
    return a.results(loader, 2);
  }

  private static boolean isTrue(Arguments a, int s) {
    long v = a.mutator().get(s);
    return v != Values.UNDEFINED && v != Values.FALSE;
  }

  /** Puts the loader into the second slot. Returns the file of the loader, or ":preload:". */
  private static String find(Arguments a, int x, String name) {
    Machine m = a.machine();
    m.setString(x + 3, "package");
    m.rawGet(x + 2, x, x + 3);
    m.setString(x + 3, "preload");
    m.index(x + 3, x + 2, x + 3);
    if (m.isTable(x + 3)) {
      m.rawGet(x + 1, x + 3, 1);
      if (a.mutator().get(x + 1) != Values.UNDEFINED) {
        return ":preload:";
      }
    }
    m.setString(x + 3, "path");
    m.index(x + 3, x + 2, x + 3);
    if (!m.isString(x + 3)) {
      throw a.error("'package.path' must be a string");
    }
    String file;
    try (Account.Loan loan = m.account().borrow()) {
      StringBuilder tried = new StringBuilder();
      file = search(a, name.replace('.', '/'), m.string(x + 3), tried, loan);
      if (file == null) {
        throw a.error(
            "module '" + name + "' not found:\n\tno field package.preload['" + name + "']" + tried);
      }
    }
    m.loadGlobals(x + 4);
    if (load(a, file, "bt", x + 4) != 1) {
      String message = m.string(a.firstResult() + 1);
      throw a.error("error loading module '" + name + "' from file '" + file + "':\n\t" + message);
    }
    a.mutator().copy(x + 1, a.firstResult());
    return file;
  }

  /** Looks for a file. The growing list of tried files is charged. */
  private static @Nullable String search(
      Arguments a, String name, String path, StringBuilder tried, Account.Loan loan) {
    for (int from = 0; from <= path.length(); ) {
      int semicolon = path.indexOf(';', from);
      int end = semicolon < 0 ? path.length() : semicolon;
      String file = replace(a, path.substring(from, end), "?", name, loan);
      from = end + 1;
      try {
        if (Files.isReadable(path(file)) && !Files.isDirectory(path(file))) {
          return file;
        }
      } catch (IOException _) {
        // The list of tried files names this one, too.
      }
      loan.add(COPIES * (TRIED.length() + file.length() + 1L));
      tried.append(TRIED).append(file).append('\'');
    }
    return null;
  }

  /** Replaces all occurrences in a text. Growth is charged beforehand. */
  private static String replace(
      Arguments a, String text, String what, String by, Account.Loan loan) {
    long length = text.length();
    for (int i = text.indexOf(what); i >= 0; i = text.indexOf(what, i + what.length())) {
      length += by.length() - what.length();
    }
    loan.add(length);
    a.work(length >>> 4);
    return text.replace(what, by);
  }

  private static int searchpath(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    Machine m = a.machine();
    String separator = ".";
    String replacement = "/";
    if (!a.isNoneOrNil(3)) {
      a.checkString(3);
      separator = m.string(3);
    }
    if (!a.isNoneOrNil(4)) {
      a.checkString(4);
      replacement = m.string(4);
    }
    String name = m.string(1);
    int x = a.scratch(2);
    try (Account.Loan loan = m.account().borrow()) {
      String plain = separator.isEmpty() ? name : replace(a, name, separator, replacement, loan);
      StringBuilder tried = new StringBuilder();
      String file = search(a, plain, m.string(2), tried, loan);
      if (file != null) {
        m.setString(x, file);
        return a.one(x);
      }
      m.setString(x + 1, tried.isEmpty() ? "" : tried.substring(2));
    }
    return a.results(x, 2);
  }
}
