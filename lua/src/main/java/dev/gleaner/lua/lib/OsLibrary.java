package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.ExitException;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Paths;
import dev.gleaner.lua.machine.Registration;
import dev.gleaner.lua.machine.Sandbox;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.ZoneId;

/** The functions of the operating system (§ 6.9), as far as the sandbox grants them. */
final class OsLibrary {
  private static final int BASE_YEAR = 1900;

  /** Bytes that the name of a variable of the environment may have, as in Linux. */
  private static final int MOST_NAME = 1 << 17;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final Sandbox sandbox;
  private final Window window;

  private OsLibrary(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.sandbox = machine.sandbox();
    this.window = new Window(t, 128);
  }

  /** Adds the library to a machine. */
  static void open(Machine machine, LibraryTexts texts) {
    OsLibrary l = new OsLibrary(machine, texts);
    Registration os = new Registration(machine, "os", 11);
    os.add("clock", l::clock)
        .add("date", l::date)
        .add("difftime", l::difftime)
        .add("setlocale", l::setlocale)
        .add("time", l::time);
    if (l.sandbox.processes()) {
      os.add("execute", l::execute);
    }
    if (l.sandbox.exit()) {
      os.add("exit", l::exit);
    }
    if (l.sandbox.environment()) {
      os.add("getenv", l::getenv);
    }
    if (l.sandbox.files()) {
      os.add("remove", l::remove).add("rename", l::rename).add("tmpname", l::tmpname);
    }
  }

  private int clock(Arguments a) {
    long grain = Math.max(1, sandbox.clockNanos());
    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    t.setDouble(1, nanos / grain * grain / 1e9);
    return a.one(1);
  }

  private int difftime(Arguments a) {
    long to = a.checkInteger(1);
    t.setDouble(1, (double) (to - a.checkInteger(2)));
    return a.one(1);
  }

  private int getenv(Arguments a) {
    a.checkString(1);
    boolean mayBe = t.stringBytes(1) <= MOST_NAME;
    String value = mayBe ? System.getenv(Paths.text(machine.string(1))) : null;
    if (value == null) {
      t.setUndefined(1);
    } else {
      machine.setString(1, Paths.bytes(value));
    }
    return a.one(1);
  }

  private int setlocale(Arguments a) {
    String name = a.option(1, "C");
    String category = a.option(2, "all");
    switch (category) {
      case "all", "collate", "ctype", "monetary", "numeric", "time" -> {}
      default -> throw a.optionError(2, category);
    }
    switch (name) {
      case "", "C", "POSIX" -> machine.setString(1, "C");
      default -> t.setUndefined(1);
    }
    return a.one(1);
  }

  private int exit(Arguments a) {
    int status;
    if (a.count() >= 1 && Values.isBoolean(t.get(1))) {
      status = t.getBoolean(1) ? 0 : 1;
    } else {
      status = (int) a.optInteger(1, 0);
    }
    throw new ExitException(status & 0xFF);
  }

  private int execute(Arguments a) {
    if (a.isNoneOrNil(1)) {
      t.set(1, Values.TRUE);
      return a.one(1);
    }
    a.checkString(1);
    try {
      sandbox.out().flush();
      Process process = Processes.shell(machine.string(1)).inheritIO().start();
      return Processes.result(a, Processes.await(a, process));
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private int remove(Arguments a) {
    a.checkString(1);
    String name = machine.string(1);
    try {
      Files.delete(Paths.path(name));
      return yes(a);
    } catch (IOException | InvalidPathException e) {
      return Failures.results(a, e, name);
    }
  }

  private int rename(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    try {
      Path from = Paths.path(machine.string(1));
      Path to = Paths.path(machine.string(2));
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return yes(a);
    } catch (IOException | InvalidPathException e) {
      return Failures.results(a, e, null);
    }
  }

  private int tmpname(Arguments a) {
    try {
      machine.setString(1, Paths.bytes(Paths.temporary().toString()));
      return a.one(1);
    } catch (IOException e) {
      throw a.error("unable to generate a unique filename");
    }
  }

  private int yes(Arguments a) {
    t.set(1, Values.TRUE);
    return a.one(1);
  }

  private int time(Arguments a) {
    if (a.isNoneOrNil(1)) {
      machine.setInteger(1, System.currentTimeMillis() / 1000);
      return a.one(1);
    }
    a.checkTable(1);
    int k = a.scratch(2);
    long year = field(a, "year", -1, BASE_YEAR, k);
    long month = field(a, "month", -1, 1, k);
    long day = field(a, "day", -1, 0, k);
    long hour = field(a, "hour", 12, 0, k);
    long minute = field(a, "min", 0, 0, k);
    long second = field(a, "sec", 0, 0, k);
    machine.setString(k, "isdst");
    machine.index(k, 1, k);
    long clock = CivilTime.clock(year + BASE_YEAR, month + 1, day, hour, minute, second);
    ZoneId zone = ZoneId.systemDefault();
    long moment =
        t.isUndefined(k)
            ? CivilTime.moment(clock, zone)
            : CivilTime.moment(clock, zone, StringLibrary.isTrue(t, k));
    CivilTime normal = CivilTime.local(moment, zone);
    if (moment == -1 || !normal.isRepresentable()) {
      throw a.error("time result cannot be represented in this installation");
    }
    setFields(1, normal, k);
    machine.setInteger(1, moment);
    return a.one(1);
  }

  private long field(Arguments a, String name, int otherwise, int base, int k) {
    machine.setString(k, name);
    machine.index(k, 1, k);
    if (!machine.toInteger(k)) {
      if (!t.isUndefined(k)) {
        throw a.error("field '" + name + "' is not an integer");
      }
      if (otherwise < 0) {
        throw a.error("field '" + name + "' missing in date table");
      }
      return otherwise;
    }
    long v = machine.integer(k);
    if (v >= 0 ? v - base > Integer.MAX_VALUE : v < Integer.MIN_VALUE + base) {
      throw a.error("field '" + name + "' is out-of-bound");
    }
    return v - base;
  }

  private void setFields(int table, CivilTime c, int k) {
    setField(table, "year", c.year, k);
    setField(table, "month", c.month, k);
    setField(table, "day", c.day, k);
    setField(table, "hour", c.hour, k);
    setField(table, "min", c.minute, k);
    setField(table, "sec", c.second, k);
    setField(table, "yday", c.yearDay + 1, k);
    setField(table, "wday", c.weekDay + 1, k);
    machine.setString(k, "isdst");
    t.set(k + 1, c.daylightSaving ? Values.TRUE : Values.FALSE);
    machine.setIndex(table, k, k + 1);
  }

  private void setField(int table, String name, long value, int k) {
    machine.setString(k, name);
    machine.setInteger(k + 1, value);
    machine.setIndex(table, k, k + 1);
  }

  private int date(Arguments a) {
    int k = a.scratch(3);
    if (a.isNoneOrNil(1)) {
      machine.setString(k, "%c");
    } else {
      a.checkString(1);
      t.copy(k, 1);
    }
    long seconds = a.isNoneOrNil(2) ? System.currentTimeMillis() / 1000 : a.checkInteger(2);
    window.open(k);
    int from = window.at(0) == '!' ? 1 : 0;
    CivilTime c =
        from == 1 ? CivilTime.utc(seconds) : CivilTime.local(seconds, ZoneId.systemDefault());
    if (!c.isRepresentable()) {
      throw a.error("date result cannot be represented in this installation");
    }
    if (window.at(from) == '*' && window.at(from + 1) == 't' && window.at(from + 2) == 0) {
      int table = a.scratch(1);
      machine.newTable(table);
      setFields(table, c, k);
      return a.one(table);
    }
    try (TextBuilder text = texts.open(a, k + 1)) {
      for (int i = from; i < window.length(); i++) {
        if (window.at(i) != '%') {
          text.add(window.at(i));
          continue;
        }
        a.work(4);
        int length = DateFormat.length(window.at(i + 1), window.at(i + 2));
        if (length == 0) {
          throw a.argumentError(1, "invalid conversion specifier '" + rest(i) + "'");
        }
        i += length;
        String shown = DateFormat.text(window.at(i), c);
        for (int s = 0; s < shown.length(); s++) {
          text.add(shown.charAt(s));
        }
      }
      text.toSlot(k);
      return a.one(k);
    }
  }

  /** The rest of the format, of which a message shows no more than some. */
  private String rest(int from) {
    StringBuilder s = new StringBuilder();
    for (int i = from; i < Math.min(window.length(), from + 256) && window.at(i) != 0; i++) {
      s.append((char) window.at(i));
    }
    return s.toString();
  }
}
