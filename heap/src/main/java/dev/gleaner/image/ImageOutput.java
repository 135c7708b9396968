package dev.gleaner.image;

import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.ImageException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of an image that is written. */
final class ImageOutput {
  private static final int MOST = Integer.MAX_VALUE - 64;

  private byte[] bytes;
  private int size;

  ImageOutput(int initial) {
    bytes = new byte[initial];
  }

  int size() {
    return size;
  }

  private void ensure(long more) {
    long want = size + more;
    if (want > bytes.length) {
      if (want > MOST) {
        throw new ImageException("the image would have more than " + MOST + " bytes");
      }
      bytes = Arrays.copyOf(bytes, (int) Math.min(MOST, Math.max(want, bytes.length * 2L)));
    }
  }

  void octet(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
  }

  /** Writes a number of 7 bits a byte. */
  void number(long value) {
    ensure(10);
    long left = value;
    while ((left & ~127L) != 0) {
      bytes[size++] = (byte) (left | 128);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  void half(int value) {
    ensure(4);
    ImageFormat.HALF.set(bytes, size, value);
    size += 4;
  }

  void word(long value) {
    ensure(8);
    ImageFormat.WORD.set(bytes, size, value);
    size += 8;
  }

  /** Writes how many bytes there are, and these. */
  void bytes(byte[] from) {
    number(from.length);
    ensure(from.length);
    System.arraycopy(from, 0, bytes, size, from.length);
    size += from.length;
  }

  /** Writes bytes of the heap's memory. */
  void memory(Memory memory, long at, int length) {
    ensure(length);
    memory.read(at, bytes, size, length);
    size += length;
  }

  /** Writes all of another output. */
  void all(ImageOutput from) {
    ensure(from.size);
    System.arraycopy(from.bytes, 0, bytes, size, from.size);
    size += from.size;
  }

  /** Writes a text in UTF-8. */
  void text(String text) {
    bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a word over what stands there. */
  void wordAt(int at, long value) {
    ImageFormat.WORD.set(bytes, at, value);
  }

  /**
   * Writes a value.
   *
   * @param holder the number of the element that holds it, or 0
   */
  void value(long value, int holder, OffsetNumbers numbers) {
    if (Values.isReference(value)) {
      reference(numbers.get(value) - holder);
    } else if (Values.isInt(value)) {
      integer(Values.toInt(value));
    } else if (Values.isDouble(value)) {
      octet(ImageFormat.DOUBLE);
      word(Double.doubleToRawLongBits(Values.toDouble(value)));
    } else {
      octet(value == TableLayout.HOLE ? ImageFormat.HOLE : (int) value);
    }
  }

  private void reference(int distance) {
    if (distance >= 0 && distance < 256 - ImageFormat.NEAR) {
      octet(ImageFormat.NEAR + distance);
    } else {
      octet(ImageFormat.REFERENCE);
      number(ImageFormat.folded(distance));
    }
  }

  private void integer(int value) {
    if (value >= 0 && value < ImageFormat.NEAR - ImageFormat.SMALL) {
      octet(ImageFormat.SMALL + value);
    } else {
      octet(ImageFormat.INT);
      number(ImageFormat.folded(value));
    }
  }

  /** Returns what was written. */
  byte[] toBytes() {
    return bytes.length == size ? bytes : Arrays.copyOf(bytes, size);
  }
}
