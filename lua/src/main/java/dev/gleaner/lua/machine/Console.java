package dev.gleaner.lua.machine;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Where a guest reads and writes. Streams are the host's.
 *
 * @param in standard input
 * @param out standard output
 * @param err standard error
 */
public record Console(InputStream in, PrintStream out, PrintStream err) {
  /** {@return one that reads nothing and writes nowhere} */
  public static Console none() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new Console(InputStream.nullInputStream(), nowhere, nowhere);
  }
}
