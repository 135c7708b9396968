package dev.gleaner.lua.machine;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.memory.Account;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The functions dofile, loadfile and require. They exist only if files are granted. */
final class FileChunks {
  private static final int PIECE = 8192;
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private static final String TRIED = "\n\tno file '";

  /** The copies of a text while a builder grows, or makes a string. */
  private static final int COPIES = 3;

  private static final String TEMPLATES = "./?.lua;./?/init.lua";
  private static final String LIBRARIES = "./?.so";
  private static final String NO_LIBRARIES =
      "dynamic libraries not enabled; check your Lua installation";

  private final Machine machine;

  private FileChunks(Machine machine) {
    this.machine = machine;
  }

  static void open(Machine machine) {
    FileChunks chunks = new FileChunks(machine);
    int[] searchers = {
      machine.declare("?preloaded", chunks::searchPreload, 0),
      machine.declare("?Lua", chunks::searchLua, 0),
      machine.declare("?C", chunks::searchC, 0),
      machine.declare("?C root", chunks::searchCroot, 0)
    };
    Registration _ =
        new Registration(machine, "_G", 0)
            .add("loadfile", chunks::loadfile)
            .add("dofile", chunks::dofile)
            .add("require", chunks::require);
    Registration _ =
        new Registration(machine, "package", 9)
            .add("path", TEMPLATES)
            .add("cpath", LIBRARIES)
            .add("loadlib", chunks::loadlib)
            .add("config", "/\n;\n?\n!\n-\n")
            .add("searchpath", chunks::searchpath)
            .with(table -> {
              machine.mutator().setGlobal(machine.state().packages, table);
              machine.setString(1, "searchers");
              machine.newTable(2);
              for (int i = 0; i < searchers.length; i++) {
                machine.newBuiltin(3, searchers[i], 3, 0);
                machine.rawSet(2, i + 1L, 3);
              }
              machine.rawSet(table, 1, 2);
              machine.setString(1, "loaded");
              machine.loadLoaded(2);
              machine.rawSet(table, 1, 2);
              machine.setString(1, "preload");
              machine.newTable(2);
              machine.rawSet(table, 1, 2);
            });
  }

  private byte[] read(Arguments a, @Nullable String name, Account.Loan loan) throws IOException {
    Path path = name == null ? null : path(name);
    try (InputStream in = path == null ? machine.sandbox().in() : Files.newInputStream(path)) {
      SourceBuffer all = new SourceBuffer(a, loan);
      loan.add(PIECE);
      byte[] piece = new byte[PIECE];
      int n = in.readNBytes(piece, 0, PIECE);
      int start = hasMark(piece, n) ? MARK.length : 0;
      boolean comment = n > start && piece[start] == '#';
      boolean commented = comment;
      while (n > 0) {
        int from = comment ? firstLine(piece, n) : start;
        start = 0;
        comment &= from == n;
        all.append(piece, from, n - from);
        n = in.readNBytes(piece, 0, PIECE);
      }
      if (commented) {
        all.dropLineBefore(Chunks.ESCAPE);
      }
      return all.whole();
    }
  }

  /** Returns whether a file begins with the mark of UTF-8. */
  private static boolean hasMark(byte[] bytes, int n) {
    return n >= MARK.length && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length);
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

  private int load(Arguments a, @Nullable String name, String mode, int environment) {
    try (Account.Loan loan = machine.account().borrow()) {
      byte[] bytes = read(a, name, loan);
      String source = name == null ? "=stdin" : "@" + name;
      return Chunks.load(machine, a, bytes, source, mode, environment, loan);
    } catch (IOException e) {
      int x = a.scratch(2);
      String what = e instanceof FileSystemException ? "open" : "read";
      machine.setString(x + 1, "cannot " + what + " " + name + ": " + reason(e));
      return a.results(x, 2);
    }
  }

  private @Nullable String name(Arguments a) {
    if (a.isNoneOrNil(1)) {
      return null;
    }
    a.checkString(1);
    return machine.string(1);
  }

  private int loadfile(Arguments a) {
    String mode = a.option(2, "bt");
    int x = a.scratch(1);
    if (a.count() >= 3) {
      a.mutator().copy(x, 3);
    } else {
      machine.loadGlobals(x);
    }
    return load(a, name(a), mode, x);
  }

  private int dofile(Arguments a) {
    int x = a.scratch(1);
    machine.loadGlobals(x);
    if (load(a, name(a), "bt", x) != 1) {
      throw machine.error(a.firstResult() + 1);
    }
    return machine.callLast(a.firstResult(), 0, Return.ALL);
  }

  // ---- require ----

  private int require(Arguments a) {
    a.checkString(1);
    int x = a.scratch(5);
    machine.loadLoaded(x);
    machine.rawGet(x + 1, x, 1);
    if (isTrue(a, x + 1)) {
      return a.one(x + 1);
    }
    find(a, x + 1);
    int loader = x + 1;
    int data = x;
    a.mutator().copy(data, x + 2);
    a.mutator().copy(x + 3, data);
    a.mutator().copy(x + 2, 1);
    int _ = machine.call(loader, 2, 1);
    machine.loadLoaded(x + 2);
    if (a.mutator().get(loader) != Values.UNDEFINED) {
      machine.rawSet(x + 2, 1, loader);
    }
    machine.rawGet(loader, x + 2, 1);
    if (a.mutator().get(loader) == Values.UNDEFINED) {
      a.mutator().set(loader, Values.TRUE);
      machine.rawSet(x + 2, 1, loader);
    }
    a.mutator().copy(x + 2, data);
    return a.results(loader, 2);
  }

  private static boolean isTrue(Arguments a, int s) {
    long v = a.mutator().get(s);
    return v != Values.UNDEFINED && v != Values.FALSE;
  }

  /** Asks one searcher after the other. Leaves the loader, and the loader's data behind it. */
  private void find(Arguments a, int x) {
    int searchers = a.scratch(1);
    loadField(searchers, "searchers");
    if (!machine.isTable(searchers)) {
      throw a.error("'package.searchers' must be a table");
    }
    try (Account.Loan loan = machine.account().borrow()) {
      StringBuilder tried = new StringBuilder();
      for (long i = 1; ; i++) {
        machine.rawGet(x, searchers, i);
        if (a.mutator().get(x) == Values.UNDEFINED) {
          throw a.error("module '" + machine.string(1) + "' not found:" + tried);
        }
        a.mutator().copy(x + 1, 1);
        int _ = machine.call(x, 1, 2);
        if (machine.isFunction(x)) {
          return;
        }
        if (machine.toText(x)) {
          loan.add(COPIES * (a.mutator().stringBytes(x) + 2L));
          tried.append("\n\t").append(machine.string(x));
        }
      }
    }
  }

  /** Loads a field of the table "package", which a root keeps. */
  private void loadField(int d, String name) {
    int x = machine.mutator().frameSize();
    machine.resizeFrame(x + 2);
    machine.mutator().getGlobal(x, machine.state().packages);
    machine.setString(x + 1, name);
    machine.index(d, x, x + 1);
    machine.resizeFrame(x);
  }

  private int searchPreload(Arguments a) {
    a.checkString(1);
    int x = a.scratch(2);
    loadField(x, "preload");
    if (machine.isTable(x)) {
      machine.rawGet(x, x, 1);
      if (a.mutator().get(x) != Values.UNDEFINED) {
        machine.setString(x + 1, ":preload:");
        return a.results(x, 2);
      }
    }
    machine.setString(x, "no field package.preload['" + machine.string(1) + "']");
    return a.one(x);
  }

  private int searchLua(Arguments a) {
    a.checkString(1);
    String name = machine.string(1);
    int x = a.scratch(2);
    String file = find(a, name, "path", x);
    if (file == null) {
      return a.one(x);
    }
    machine.loadGlobals(x);
    if (load(a, file, "bt", x) != 1) {
      throw failed(a, name, file, machine.string(a.firstResult() + 1));
    }
    a.mutator().copy(x, a.firstResult());
    machine.setString(x + 1, file);
    return a.results(x, 2);
  }

  private static LuaError failed(Arguments a, String name, String file, String message) {
    return a.error("error loading module '" + name + "' from file '" + file + "':\n\t" + message);
  }

  private int searchC(Arguments a) {
    a.checkString(1);
    return searchC(a, machine.string(1), machine.string(1));
  }

  /** Looks for a library of the module in front of the first dot. */
  private int searchCroot(Arguments a) {
    a.checkString(1);
    String name = machine.string(1);
    int dot = name.indexOf('.');
    return dot < 0 ? a.none() : searchC(a, name, name.substring(0, dot));
  }

  private int searchC(Arguments a, String name, String asked) {
    int x = a.scratch(1);
    String file = find(a, asked, "cpath", x);
    if (file == null) {
      return a.one(x);
    }
    throw failed(a, name, file, NO_LIBRARIES);
  }

  private int loadlib(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    int x = a.scratch(3);
    machine.setString(x + 1, NO_LIBRARIES);
    machine.setString(x + 2, "absent");
    return a.results(x, 3);
  }

  /** Finds a module's file. Returns null, and leaves the tried files as text, if there is none. */
  private @Nullable String find(Arguments a, String name, String field, int x) {
    loadField(x, field);
    if (!machine.toText(x)) {
      throw a.error("'package." + field + "' must be a string");
    }
    try (Account.Loan loan = machine.account().borrow()) {
      StringBuilder tried = new StringBuilder();
      String file = search(a, replace(a, name, ".", "/", loan), machine.string(x), tried, loan);
      machine.setString(x, tried.isEmpty() ? "" : tried.substring(2));
      return file;
    }
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

  private int searchpath(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    String separator = ".";
    String replacement = "/";
    if (!a.isNoneOrNil(3)) {
      a.checkString(3);
      separator = machine.string(3);
    }
    if (!a.isNoneOrNil(4)) {
      a.checkString(4);
      replacement = machine.string(4);
    }
    String name = machine.string(1);
    int x = a.scratch(2);
    try (Account.Loan loan = machine.account().borrow()) {
      String plain = separator.isEmpty() ? name : replace(a, name, separator, replacement, loan);
      StringBuilder tried = new StringBuilder();
      String file = search(a, plain, machine.string(2), tried, loan);
      if (file != null) {
        machine.setString(x, file);
        return a.one(x);
      }
      machine.setString(x + 1, tried.isEmpty() ? "" : tried.substring(2));
    }
    return a.results(x, 2);
  }
}
