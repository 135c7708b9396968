package dev.gleaner.heap;

import dev.gleaner.image.ImageFormat;
import dev.gleaner.refusal.ImageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * What a heap held when {@link Heap#image} saved it, as a value. {@link HeapFactory#open(HeapImage,
 * ImageBindings)} opens it as a new heap, as often as wanted, under any collector and limit, in
 * this JVM or another one. An image never changes; any Java thread may use it.
 */
public final class HeapImage {
  private static final int MOST_BYTES = Integer.MAX_VALUE - 64;

  private final byte[] bytes;
  private final int elements;

  /** Takes bytes with a sound header, which nobody changes any more. */
  HeapImage(byte[] bytes) {
    this.bytes = bytes;
    this.elements = ImageFormat.body(bytes).count(1, "the number of elements");
  }

  private static HeapImage checked(byte[] bytes) {
    ImageFormat.check(bytes);
    return new HeapImage(bytes);
  }

  /**
   * Returns the image that some bytes are.
   *
   * @param bytes as {@link #bytes} returned them; they are copied
   * @return the image; whether it can be opened is known when it is
   * @throws ImageException if the bytes are no image, of another version, or were changed
   */
  public static HeapImage of(byte[] bytes) {
    return checked(bytes.clone());
  }

  /**
   * Reads an image from a file.
   *
   * @param file as {@link #write} wrote it
   * @return the image
   * @throws IOException if the file cannot be read
   * @throws ImageException if the file is no image, of another version, or was changed
   */
  public static HeapImage read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] header = in.readNBytes(ImageFormat.HEADER_BYTES);
      long body = ImageFormat.bodyBytes(header); // a file without an end is not read
      byte[] rest = in.readNBytes(Math.clamp(body + 1, 0, MOST_BYTES));
      byte[] image = Arrays.copyOf(header, header.length + rest.length);
      System.arraycopy(rest, 0, image, header.length, rest.length);
      return checked(image);
    }
  }

  /**
   * Writes the image to a file. It is written under another name first, so that a crash leaves the
   * file as it was.
   *
   * @param file the file, which is replaced
   * @throws IOException if the file cannot be written
   */
  public void write(Path file) throws IOException {
    Path target = file.toAbsolutePath();
    String name = target.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".tmp";
    Path fresh = target.resolveSibling(name); // with the permissions that the process gives
    FileChannel opened =
        FileChannel.open(fresh, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    try {
      try (FileChannel channel = opened) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          int _ = channel.write(left);
        }
        channel.force(true);
      }
      Files.move(
          fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      boolean _ = Files.deleteIfExists(fresh);
    }
  }

  /** Returns the bytes, which the caller must not change. */
  byte[] content() {
    return bytes;
  }

  /** {@return a copy of the image's bytes, for any store} */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** {@return the number of bytes} */
  public int size() {
    return bytes.length;
  }

  /** {@return the number of elements} */
  public int elements() {
    return elements;
  }

  /** {@return a text with the number of elements and bytes} */
  @Override
  public String toString() {
    return "heap image of " + elements + " elements, " + bytes.length + " bytes";
  }
}
