package dev.gleaner.lua.script;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What scripts print, as text of the context that is evaluated. */
final class ContextOutput extends OutputStream {
  private static final int SIZE = 8192;

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final ByteBuffer bytes = ByteBuffer.allocate(SIZE);
  private final CharBuffer chars = CharBuffer.allocate(SIZE);
  private @Nullable Writer writer;

  void setWriter(@Nullable Writer to) {
    writer = to;
  }

  @Override
  public void write(int b) throws IOException {
    if (!bytes.hasRemaining()) {
      flush();
    }
    bytes.put((byte) b);
  }

  /** Writes all but a character that is not whole yet. */
  @Override
  public void flush() throws IOException {
    bytes.flip();
    decoder.decode(bytes, chars, false);
    bytes.compact();
    chars.flip();
    Writer to = writer;
    if (to != null) {
      to.write(chars.array(), 0, chars.length());
      to.flush();
    }
    chars.clear();
  }
}
