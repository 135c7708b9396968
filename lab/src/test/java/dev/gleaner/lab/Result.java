package dev.gleaner.lab;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What a command printed, and its status. */
record Result(int status, String out, String err) {
  /** Runs a command. */
  static Result of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    return new Result(status, out.toString(), err.toString());
  }

  static Result of(List<String> arguments) {
    return of(arguments.toArray(String[]::new));
  }
}
