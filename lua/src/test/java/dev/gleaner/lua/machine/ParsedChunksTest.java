package dev.gleaner.lua.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.Dump;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a factory keeps of the code of images. */
class ParsedChunksTest {
  private static final int CHUNKS = 40_000;

  private static byte[] dump(int number) {
    byte[] text = ("return " + number).getBytes(StandardCharsets.UTF_8);
    return Dump.write(Compiler.compile(text, "=c"), false);
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Small chunks take many times their code. */
  @Test
  void chunksOfAnySizeTakeABoundedPartOfTheHeap() {
    ParsedChunks chunks = new ParsedChunks();
    long before = used();
    for (int i = 0; i < CHUNKS; i++) {
      var _ = chunks.get(dump(i));
    }
    assertThat(used() - before).isBetween(ParsedChunks.MOST / 8, ParsedChunks.MOST);
    assertThat(chunks.get(dump(CHUNKS - 1))).isSameAs(chunks.get(dump(CHUNKS - 1)));
    assertThat(chunks.get(dump(0))).isSameAs(chunks.get(dump(0)));
  }
}
