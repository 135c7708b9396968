package dev.gleaner.lua.machine;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The files, streams and programs that scripts may use. A library function without its grant does
 * not exist.
 *
 * @param in standard input
 * @param out standard output, for print and io.write; io.stdout:flush() flushes the stream, and so
 *     must its owner
 * @param err standard error
 * @param files whether scripts may open, rename and remove files
 * @param processes whether scripts may run programs
 * @param environment whether scripts may read environment variables
 * @param exit whether scripts may end the program: os.exit throws an {@link ExitException}
 * @param clockNanos the grain of os.clock in nanoseconds; 1 for the finest
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
   * {@return a sandbox with all grants, as for a program on the command line}
   *
   * @param in standard input
   * @param out standard output
   * @param err standard error
   */
  public static Sandbox open(InputStream in, OutputStream out, OutputStream err) {
    return new Sandbox(in, out, err, true, true, true, true, 1);
  }

  /**
   * {@return a sandbox with only an output, and a clock of whole seconds}
   *
   * @param out standard output and error
   */
  public static Sandbox pure(OutputStream out) {
    return new Sandbox(
        InputStream.nullInputStream(), out, out, false, false, false, false, PURE_CLOCK);
  }

  /**
   * {@return this sandbox with a bound on the output}
   *
   * @param most the most bytes of standard output and error together; 0 for no bound
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
