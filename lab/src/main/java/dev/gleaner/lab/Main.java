package dev.gleaner.lab;

import com.typesafe.config.ConfigException;
import dev.gleaner.lab.output.Printable;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.settings.ConfigurationException;
import java.io.BufferedOutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The program {@code gleaner}; it ends with an {@link ExitStatus}. */
public final class Main {
  private Main() {}

  /** Runs the program and ends this JVM with its status. */
  public static void main(String... arguments) {
    Output output = new Output();
    PrintWriter out =
        new PrintWriter(new BufferedOutputStream(output), true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, Terminal.isColoured(), err, arguments);
    out.flush();
    String problem = output.problem();
    if (problem != null) {
      err.println("gleaner: " + problem);
      status = Math.max(status, ExitStatus.FAILED);
    }
    err.flush();
    System.exit(status);
  }

  /** Runs the program and returns its status. */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return run(out, false, err, arguments);
  }

  private static int run(PrintWriter out, boolean coloured, PrintWriter err, String... arguments) {
    try {
      PlainLua plain = PlainLua.of(arguments);
      return plain == null
          ? Program.run(out, coloured, err, arguments)
          : run(plain, Printable.printer(err));
    } catch (OutOfMemoryError e) {
      long most = Runtime.getRuntime().maxMemory() >> 20;
      err.println(
          "gleaner: %d MiB are too little for this JVM; GLEANER_JAVA_OPTS=-Xmx8g gives more"
              .formatted(most));
    } catch (StackOverflowError e) {
      err.println("gleaner: what was read is nested too deeply");
    }
    return ExitStatus.FAILED;
  }

  private static int run(PlainLua plain, PrintWriter err) {
    try {
      return new LuaCommand(plain, err).call();
    } catch (Exception e) {
      try {
        return failed(e, err);
      } catch (Exception fault) {
        fault.printStackTrace(err);
        return ExitStatus.FAILED;
      }
    }
  }

  /** Tells why a command failed, and returns its status. */
  static int failed(Exception e, PrintWriter err) throws Exception {
    if (e instanceof RequestException
        || e instanceof ConfigurationException
        || e instanceof ConfigException) {
      err.println("gleaner: " + e.getMessage());
      return ExitStatus.WRONG_REQUEST;
    }
    if (e instanceof HeapException || e instanceof UncheckedIOException) {
      err.println("gleaner: " + e.getMessage());
      return ExitStatus.FAILED;
    }
    throw e;
  }
}
