package dev.gleaner.lua.machine;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * What scripts reach outside of their heap. A library function that is not granted is not there.
 *
 * @param in standard input
 * @param out standard output, for print and io.write; it is flushed by who gave it, and by
 *     io.stdout:flush()
 * @param err standard error
 * @param files whether scripts open, rename and remove files
 * @param processes whether scripts run programs
 * @param environment whether scripts read environment variables
 * @param exit whether scripts may end the program: os.exit throws an {@link ExitException}
 * @param clockNanos the grain of os.clock in nanoseconds; 1 for as fine as there is
 */
public record Sandbox(
    InputStream in,
    OutputStream out,
    OutputStream err,
    boolean files,
    boolean processes,
    boolean environment,
    boolean exit,
    long clockNanos) {

  private static final long PURE_CLOCK = 1_000_000_000;

  /**
   * {@return all that there is, as for a program on the command line}
   *
   * @param in standard input
   * @param out standard output
   * @param err standard error
   */
  public static Sandbox open(InputStream in, OutputStream out, OutputStream err) {
    return new Sandbox(in, out, err, true, true, true, true, 1);
  }

  /**
   * {@return no more than an output, and a clock of whole seconds}
   *
   * @param out standard output and error
   */
  public static Sandbox pure(OutputStream out) {
    return new Sandbox(
        InputStream.nullInputStream(), out, out, false, false, false, false, PURE_CLOCK);
  }

  /**
   * {@return the same, where scripts write a bounded number of bytes}
   *
   * @param most bytes of standard output and error together, or 0 for no bound
   */
  public Sandbox writing(long most) {
    if (most == 0) {
      return this;
    }
    BoundedOutput.Allowance allowance = new BoundedOutput.Allowance(most);
    return new Sandbox(
        in,
        new BoundedOutput(out, allowance),
        new BoundedOutput(err, allowance),
        files,
        processes,
        environment,
        exit,
        clockNanos);
  }
}
