package dev.gleaner.image;

import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.ImageException;
import java.util.Arrays;

/**
 * Bytes of an image that is read. Nothing that the bytes say is believed: each method checks what
 * it reads, and refuses it with its place.
 */
public final class ImageInput {
  private final byte[] bytes;
  private int at;

  ImageInput(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Returns the refusal of what was read last. */
  public ImageException wrong(String what) {
    return new ImageException("image, byte " + at + ": " + what);
  }

  /** Returns the bytes that are left. */
  public int left() {
    return bytes.length - at;
  }

  private void need(long n, String what) {
    if (n > bytes.length - at) {
      throw wrong("the image ends in " + what);
    }
  }

  public int octet() {
    need(1, "a byte");
    return bytes[at++] & 0xFF;
  }

  /** Reads half a word. */
  public int half() {
    need(4, "a number");
    int value = (int) ImageFormat.HALF.get(bytes, at);
    at += 4;
    return value;
  }

  public long word() {
    need(8, "a number");
    long value = (long) ImageFormat.WORD.get(bytes, at);
    at += 8;
    return value;
  }

  /**
   * Reads a number.
   *
   * @param most the largest that is allowed
   * @param what the number means, for a refusal
   */
  public long number(long most, String what) {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = octet();
      value |= (next & 127L) << shift;
      if (next < 128) {
        if (value > most) {
          break;
        }
        return value;
      }
    }
    throw wrong(what + " is larger than " + most);
  }

  /** Reads a number that fits an {@code int}. */
  public int small(int most, String what) {
    return (int) number(most, what);
  }

  /**
   * Reads how many things follow, each of some bytes at least. So what is made for them is in
   * proportion to the image.
   */
  public int count(int bytesEach, String what) {
    return (int) number(left() / bytesEach, what);
  }

  /** Reads how many bytes there are, and these. */
  public byte[] bytes(String what) {
    int n = count(1, what);
    at += n;
    return Arrays.copyOfRange(bytes, at - n, at);
  }

  /** Passes over bytes; returns where they begin in {@link #array}. */
  public int skip(int n, String what) {
    need(n, what);
    at += n;
    return at - n;
  }

  /** Returns the array with all bytes, which must not be changed. */
  public byte[] array() {
    return bytes;
  }

  /** Returns the elements by their numbers. */
  @FunctionalInterface
  public interface Elements {
    long get(long number);
  }

  /**
   * Reads a value.
   *
   * @param holder the number of the element that holds it; 0 if none does
   * @param elements refuse a number that none of them has
   */
  public long value(long holder, Elements elements) {
    int tag = octet();
    if (tag >= ImageFormat.NEAR) {
      return elements.get(holder + tag - ImageFormat.NEAR);
    }
    if (tag >= ImageFormat.SMALL) {
      return Values.ofInt(tag - ImageFormat.SMALL);
    }
    return switch (tag) {
      case ImageFormat.DOUBLE -> Values.ofDouble(Double.longBitsToDouble(word()));
      case ImageFormat.INT ->
          Values.ofInt(
              (int) ImageFormat.unfolded(number(ImageFormat.MOST_FOLDED_INT, "an integer")));
      case ImageFormat.REFERENCE ->
          elements.get(holder + ImageFormat.unfolded(number(Long.MAX_VALUE >> 1, "a reference")));
      case ImageFormat.HOLE -> TableLayout.HOLE;
      default -> tag; // undefined, null, false, true are the same words
    };
  }

  /** Checks that all was read. */
  public void end() {
    if (left() > 0) {
      throw wrong(left() + " bytes follow after the end");
    }
  }
}
