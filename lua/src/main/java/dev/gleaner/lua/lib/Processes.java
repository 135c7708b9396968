package dev.gleaner.lua.lib;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Paths;
import java.util.concurrent.TimeUnit;

/** Programs that scripts run, by the system's shell. */
final class Processes {
  private static final long POLL_MILLIS = 20;

  /** The JVM says so of a process that a signal has ended. */
  private static final int SIGNAL = 128;

  private static final int MOST_SIGNAL = 64;

  private Processes() {}

  /** A command of the shell, in bytes. */
  static ProcessBuilder shell(String command) {
    return new ProcessBuilder("/bin/sh", "-c", Paths.text(command));
  }

  /** Waits for the end and looks at the limits meanwhile; at a limit the process is killed. */
  static int await(Arguments a, Process process) {
    boolean ended = false;
    try {
      while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        a.checkLimits();
      }
      ended = true;
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw a.error("interrupted!");
    } finally {
      if (!ended) {
        process.destroyForcibly();
      }
    }
  }

  /** Answers what os.execute does of a status. */
  static int result(Arguments a, int status) {
    boolean signal = status > SIGNAL && status <= SIGNAL + MOST_SIGNAL;
    int first = a.scratch(3);
    if (status == 0) {
      a.mutator().set(first, Values.TRUE);
    }
    a.setString(first + 1, signal ? "signal" : "exit");
    a.setInteger(first + 2, signal ? status - SIGNAL : status);
    return a.results(first, 3);
  }
}
