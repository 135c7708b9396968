package dev.gleaner.lua.lib;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Builtin;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Paths;
import dev.gleaner.lua.machine.Registration;
import dev.gleaner.lua.machine.Sandbox;
import dev.gleaner.lua.number.FloatFormat;
import dev.gleaner.lua.number.NumberWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The functions of files (§ 6.8). Without files granted there are the three of the host, and what
 * reads and writes them.
 */
final class IoLibrary {
  /** Of a file on the JVM's heap: its buffer and the JVM's channel. */
  private static final int FILE_BYTES = 6144;

  private static final int STANDARD_BYTES = 512;

  /** Files that a machine has open at once; each has an array outside of the heap. */
  private static final int MOST_FILES = 250;

  private static final List<LuaFile.Buffering> BUFFERING =
      List.of(LuaFile.Buffering.FULL, LuaFile.Buffering.LINE, LuaFile.Buffering.NO);

  private static final int MOST_FORMATS = 250;
  private static final int CHUNK = 1024;

  // What an iterator of lines holds, behind the file.
  private static final int CLOSES = 1;
  private static final int COUNT = 2;
  private static final int FORMATS = 3;

  private final Machine machine;
  private final Mutator t;
  private final Sandbox sandbox;
  private final FileReader reader;
  private final FloatFormat floats = new FloatFormat();
  private final byte[] chunk = new byte[CHUNK];
  private final GlobalRef metatable;
  private final GlobalRef input;
  private final GlobalRef output;
  private final int nextLine;
  private int open;

  private IoLibrary(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.sandbox = machine.sandbox();
    this.reader = new FileReader(machine, texts);
    this.metatable = machine.newGlobal("io.metatable");
    this.input = machine.newGlobal("io.input");
    this.output = machine.newGlobal("io.output");
    this.nextLine = machine.declare("?lines", this::nextLine, FORMATS);
  }

  /** Adds the library to a machine. */
  static void open(Machine machine, LibraryTexts texts) {
    IoLibrary l = new IoLibrary(machine, texts);
    Registration io = new Registration(machine, "io", 14);
    io.add("close", l::closeDefault)
        .add("flush", a -> l.flush(a, l.defaultFile(a, l.output, "output")))
        .add("input", a -> l.setDefault(a, l.input, "r"))
        .add("lines", l::lines)
        .add("output", a -> l.setDefault(a, l.output, "w"))
        .add("read", l::readDefault)
        .add("type", l::type)
        .add("write", l::writeDefault)
        .with(l.standardFiles());
    if (l.sandbox.files()) {
      io.add("open", l::openFile).add("tmpfile", l::temporaryFile);
    }
    if (l.sandbox.processes()) {
      io.add("popen", l::openProcess);
    }
  }

  private record Method(String name, int number) {}

  private Method method(String name, Builtin function) {
    return new Method(name, machine.declare("?file:" + name, function, 0));
  }

  /** Returns what makes the standard files, and the metatable of all files. */
  private IntConsumer standardFiles() {
    List<Method> methods =
        List.of(
            method("close", this::close),
            method("flush", a -> flush(a, file(a))),
            method("lines", this::linesOf),
            method("read", a -> reader.read(a, file(a), 2, a.count() - 1, 2)),
            method("seek", this::seek),
            method("setvbuf", this::setvbuf),
            method("write", a -> write(a, file(a), 1, 2)));
    List<Method> events =
        List.of(
            method("__close", this::release),
            method("__gc", this::release),
            method("__tostring", this::toText));
    return table -> standardFiles(table, methods, events);
  }

  private void standardFiles(int table, List<Method> methods, List<Method> events) {
    int s = t.frameSize();
    machine.resizeFrame(s + 3);
    machine.newTable(s);
    machine.newTable(s + 1);
    methods.forEach(m -> put(s + 1, s + 2, m));
    put(s, s + 1, "__index");
    events.forEach(m -> put(s, s + 2, m));
    machine.setString(s + 2, "FILE*");
    put(s, s + 2, "__name");
    t.setGlobal(metatable, s);
    standard(table, s, LuaFile.STDIN);
    t.setGlobal(input, s);
    standard(table, s, LuaFile.STDOUT);
    t.setGlobal(output, s);
    standard(table, s, LuaFile.STDERR);
  }

  private void standard(int table, int s, String name) {
    make(s, s + 1, LuaFile.standard(name, sandbox));
    put(table, s, name);
  }

  private void put(int table, int d, Method method) {
    machine.newBuiltin(d, method.number, d, 0);
    put(table, d, method.name);
  }

  /** {@code table[name] = s}. */
  private void put(int table, int s, String name) {
    int key = t.frameSize();
    machine.resizeFrame(key + 1);
    machine.setString(key, name);
    machine.rawSet(table, key, s);
    machine.resizeFrame(key);
  }

  /** Makes the userdata of a file. */
  private void make(int d, int scratch, LuaFile file) {
    machine.newUserdata(d, file, file.isStandard() ? STANDARD_BYTES : FILE_BYTES, this::freed);
    t.getGlobal(scratch, metatable);
    machine.setMetatable(d, scratch);
  }

  private void freed(Object file, boolean closing) {
    try {
      end((LuaFile) file);
    } catch (IOException e) {
      // Nobody is left to be told.
    }
  }

  private void end(LuaFile file) throws IOException {
    if (!file.isClosed() && !file.isStandard()) {
      open--;
      file.close();
    }
  }

  private LuaFile anyFile(Arguments a) {
    if (a.count() >= 1 && machine.userdata(1) instanceof LuaFile file) {
      return file;
    }
    throw a.typeError(1, "FILE*");
  }

  private LuaFile file(Arguments a) {
    LuaFile _ = anyFile(a);
    return open(a, 1);
  }

  private LuaFile open(Arguments a, int s) {
    if (machine.userdata(s) instanceof LuaFile file && !file.isClosed()) {
      return file;
    }
    throw a.error("attempt to use a closed file");
  }

  private LuaFile defaultFile(Arguments a, GlobalRef which, String name) {
    int s = a.scratch(1);
    t.getGlobal(s, which);
    LuaFile file = (LuaFile) machine.userdata(s);
    if (file == null || file.isClosed()) {
      throw a.error("default " + name + " file is closed");
    }
    return file;
  }

  private int type(Arguments a) {
    a.checkAny(1);
    if (machine.userdata(1) instanceof LuaFile file) {
      machine.setString(1, file.isClosed() ? "closed file" : "file");
    } else {
      t.setUndefined(1);
    }
    return a.one(1);
  }

  private int toText(Arguments a) {
    LuaFile file = anyFile(a);
    machine.setString(1, file.isClosed() ? "file (closed)" : "file (" + machine.address(1) + ")");
    return a.one(1);
  }

  private int release(Arguments a) {
    freed(anyFile(a), false);
    return a.none();
  }

  private int close(Arguments a) {
    return close(a, file(a));
  }

  private int closeDefault(Arguments a) {
    if (!a.isNone(1)) {
      return close(a, file(a));
    }
    int s = a.scratch(1);
    t.getGlobal(s, output);
    return close(a, open(a, s));
  }

  private int close(Arguments a, LuaFile file) {
    if (file.isStandard()) {
      int first = a.scratch(2);
      machine.setString(first + 1, "cannot close standard file");
      return a.results(first, 2);
    }
    try {
      end(file);
      if (file.device() instanceof Device.OfProcess p) {
        return Processes.result(a, Processes.await(a, p.process()));
      }
      return yes(a);
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private int yes(Arguments a) {
    t.set(1, Values.TRUE);
    return a.one(1);
  }

  private int flush(Arguments a, LuaFile file) {
    try {
      file.flushAll();
      return yes(a);
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private int openFile(Arguments a) {
    a.checkString(1);
    String mode = a.option(2, "r");
    if (!isMode(mode)) {
      throw a.argumentError(2, "invalid mode");
    }
    String name = machine.string(1);
    try {
      int d = a.scratch(2);
      make(d, d + 1, openPath(Paths.path(name), mode));
      return a.one(d);
    } catch (IOException | InvalidPathException e) {
      return Failures.results(a, e, name);
    }
  }

  private static boolean isMode(String mode) {
    if (mode.isEmpty() || "rwa".indexOf(mode.charAt(0)) < 0) {
      return false;
    }
    int at = mode.startsWith("+", 1) ? 2 : 1;
    while (at < mode.length() && mode.charAt(at) == 'b') {
      at++;
    }
    return at == mode.length();
  }

  private LuaFile openPath(Path path, String mode, OpenOption... more) throws IOException {
    boolean both = mode.startsWith("+", 1);
    char first = mode.charAt(0);
    boolean reads = first == 'r' || both;
    boolean writes = first != 'r' || both;
    Set<OpenOption> options = new HashSet<>(Set.of(more));
    if (reads) {
      options.add(StandardOpenOption.READ);
    }
    if (writes) {
      options.add(StandardOpenOption.WRITE);
    }
    if (first != 'r') {
      options.add(StandardOpenOption.CREATE);
    }
    if (first == 'w') {
      options.add(StandardOpenOption.TRUNCATE_EXISTING);
    }
    reserve();
    FileChannel channel = FileChannel.open(path, options);
    open++;
    return new LuaFile(new Device.OfFile(channel, first == 'a'), reads, writes);
  }

  private void reserve() throws IOException {
    if (open >= MOST_FILES) {
      throw new IOException("Too many open files");
    }
  }

  private int temporaryFile(Arguments a) {
    try {
      int d = a.scratch(2);
      Path path = Paths.temporary();
      make(d, d + 1, openPath(path, "w+", StandardOpenOption.DELETE_ON_CLOSE));
      return a.one(d);
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private int openProcess(Arguments a) {
    a.checkString(1);
    String mode = a.option(2, "r");
    if (!mode.equals("r") && !mode.equals("w")) {
      throw a.argumentError(2, "invalid mode");
    }
    String command = machine.string(1);
    try {
      sandbox.out().flush();
      reserve();
      ProcessBuilder builder = Processes.shell(command);
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
      boolean reads = mode.equals("r");
      if (reads) {
        builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
      } else {
        builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
      }
      int d = a.scratch(2);
      Process process = builder.start();
      open++;
      make(d, d + 1, new LuaFile(new Device.OfProcess(process), reads, !reads));
      return a.one(d);
    } catch (IOException e) {
      return Failures.results(a, e, command);
    }
  }

  /** io.input and io.output. */
  private int setDefault(Arguments a, GlobalRef which, String mode) {
    int d = a.scratch(2);
    if (!a.isNoneOrNil(1)) {
      if (machine.userdata(1) instanceof LuaFile || !machine.toText(1)) {
        file(a);
        t.setGlobal(which, 1);
      } else {
        openNamed(a, d, mode);
        t.setGlobal(which, d);
      }
    }
    t.getGlobal(d, which);
    return a.one(d);
  }

  /** Opens the file named by the first argument, or raises. */
  private void openNamed(Arguments a, int d, String mode) {
    String name = machine.string(1);
    try {
      if (!sandbox.files()) {
        throw new IOException("Operation not permitted");
      }
      make(d, d + 1, openPath(Paths.path(name), mode));
    } catch (IOException | InvalidPathException e) {
      throw a.error("cannot open file '" + name + "' (" + Failures.reason(e) + ")");
    }
  }

  private int readDefault(Arguments a) {
    return reader.read(a, defaultFile(a, input, "input"), 1, a.count(), 1);
  }

  private int writeDefault(Arguments a) {
    int s = a.scratch(1);
    t.getGlobal(s, output);
    return write(a, defaultFile(a, output, "output"), s, 1);
  }

  /** Writes arguments from one on; answers the slot of the file. */
  private int write(Arguments a, LuaFile file, int result, int first) {
    IOException failure = null;
    for (int i = first; i <= a.count(); i++) {
      try {
        if (machine.isNumber(i)) {
          int end =
              machine.isInteger(i)
                  ? NumberWriter.write(machine.integer(i), chunk, 0)
                  : floats.write(machine.number(i), 'g', 0, 14, chunk, 0);
          file.write(chunk, 0, end);
        } else {
          a.checkString(i);
          writeString(a, file, i);
        }
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    return failure == null ? a.one(result) : Failures.results(a, failure, null);
  }

  private void writeString(Arguments a, LuaFile file, int s) throws IOException {
    int length = t.stringBytes(s);
    for (int at = 0; at < length; at += CHUNK) {
      int n = Math.min(CHUNK, length - at);
      t.readString(s, at, chunk, 0, n);
      file.write(chunk, 0, n);
      a.work(n / 16);
    }
  }

  private int seek(Arguments a) {
    LuaFile file = file(a);
    int whence = option(a, 2, "cur", "set", "cur", "end");
    long offset = a.optInteger(3, 0);
    try {
      machine.setInteger(1, file.seek(whence, offset));
      return a.one(1);
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private int setvbuf(Arguments a) {
    LuaFile file = file(a);
    int mode = option(a, 2, null, "full", "line", "no");
    a.optInteger(3, 0);
    file.buffering(BUFFERING.get(mode));
    return yes(a);
  }

  private int option(Arguments a, int i, @Nullable String otherwise, String... names) {
    if (otherwise == null) {
      a.checkString(i);
    }
    String name = a.option(i, otherwise == null ? "" : otherwise);
    for (int k = 0; k < names.length; k++) {
      if (names[k].equals(name)) {
        return k;
      }
    }
    throw a.optionError(i, name);
  }

  /** io.lines: of a file that it opens and closes, or of the default input. */
  private int lines(Arguments a) {
    int formats = Math.max(0, a.count() - 1);
    int results = a.scratch(5);
    boolean named = !a.isNoneOrNil(1);
    if (named) {
      a.checkString(1);
      openNamed(a, results + 3, "r");
    } else {
      t.getGlobal(results + 3, input);
      open(a, results + 3);
    }
    iterator(a, results, results + 3, formats, named);
    return a.results(results, named ? 4 : 1);
  }

  private int linesOf(Arguments a) {
    file(a);
    int d = a.scratch(1);
    iterator(a, d, 1, a.count() - 1, false);
    return a.one(d);
  }

  /** Makes an iterator, which holds the file, whether to close it, and the formats. */
  private void iterator(Arguments a, int d, int file, int formats, boolean closes) {
    if (formats > MOST_FORMATS) {
      throw a.argumentError(MOST_FORMATS + 2, "too many arguments");
    }
    int held = a.scratch(FORMATS + formats);
    t.copy(held, file);
    t.set(held + CLOSES, closes ? Values.TRUE : Values.FALSE);
    machine.setInteger(held + COUNT, formats);
    for (int i = 0; i < formats; i++) {
      t.copy(held + FORMATS + i, 2 + i);
    }
    machine.newBuiltin(d, nextLine, held, FORMATS + formats);
  }

  private int nextLine(Arguments a) {
    int held = a.scratch(FORMATS);
    for (int i = 0; i < FORMATS; i++) {
      machine.loadHeld(held + i, i);
    }
    LuaFile file = (LuaFile) machine.userdata(held);
    if (file == null || file.isClosed()) {
      throw a.error("file is already closed");
    }
    int formats = (int) machine.integer(held + COUNT);
    int first = a.scratch(formats);
    for (int i = 0; i < formats; i++) {
      machine.loadHeld(first + i, FORMATS + i);
    }
    int count = reader.read(a, file, first, formats, 2);
    int results = a.firstResult();
    if (!t.isUndefined(results)) {
      return count;
    }
    if (count > 1 && machine.isString(results + 1)) {
      throw a.error(machine.string(results + 1));
    }
    if (StringLibrary.isTrue(t, held + CLOSES)) {
      freed(file, false);
    }
    return a.none();
  }
}
