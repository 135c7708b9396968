package dev.gleaner.lua.machine;

import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaLimitException.Limit;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes on the output of a guest, up to a number of bytes in the guest's life. Of a piece that is
 * too long, only the allowed part is written.
 */
final class BoundedOutput extends OutputStream {
  /** The bytes that remain for standard output and error together. */
  static final class Allowance {
    private final long most;
    private long left;

    Allowance(long most) {
      this.most = most;
      this.left = most;
    }
  }

  private final OutputStream to;
  private final Allowance allowance;

  BoundedOutput(OutputStream to, Allowance allowance) {
    this.to = to;
    this.allowance = allowance;
  }

  @Override
  public void write(int b) throws IOException {
    if (allowance.left == 0) {
      throw reached();
    }
    allowance.left--;
    to.write(b);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    int fits = (int) Math.min(length, allowance.left);
    allowance.left -= fits;
    to.write(from, offset, fits);
    if (fits < length) {
      throw reached();
    }
  }

  private LuaLimitException reached() {
    return new LuaLimitException(
        Limit.OUTPUT, "output limit reached (" + allowance.most + " bytes)");
  }

  @Override
  public void flush() throws IOException {
    to.flush();
  }
}
