package dev.gleaner.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Words out of an array's bytes, wherever in it they lie. */
class ByteWordsTest {
  @Test
  void aTailIsTheBytesAndNothingElse() {
    Random random = new Random(1);
    for (int size = 0; size <= 24; size++) {
      byte[] bytes = new byte[size];
      random.nextBytes(bytes);
      for (int length = 0; length <= Math.min(7, size); length++) {
        for (int offset = 0; offset + length <= size; offset++) {
          ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
          word.put(0, bytes, offset, length);
          assertThat(ByteWords.tail(bytes, offset, length))
              .as("%d bytes from %d of %d", length, offset, size)
              .isEqualTo(word.getLong(0));
        }
      }
    }
  }
}
