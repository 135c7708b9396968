package dev.gleaner.lua;

import dev.gleaner.heap.HeapImage;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a guest held when {@link Guest#image()} saved it, as a value. {@link Lua#open(Image)} opens
 * it as a new guest, as often as wanted, under any collector and limits, in this JVM or another
 * one. An image never changes; any Java thread may use it.
 */
public final class Image {
  private final HeapImage heap;

  Image(HeapImage heap) {
    this.heap = heap;
  }

  /**
   * Returns the image that some bytes are.
   *
   * @param bytes as {@link #bytes} returned them; they are copied
   * @return the image; whether it can be opened is known when it is
   * @throws dev.gleaner.refusal.ImageException if the bytes are no image, of another version, or
   *     were changed
   */
  public static Image of(byte[] bytes) {
    return new Image(HeapImage.of(bytes));
  }

  /**
   * Reads an image from a file.
   *
   * @param file as {@link #write} wrote it
   * @return the image
   * @throws IOException if the file cannot be read
   * @throws dev.gleaner.refusal.ImageException if the file is no image, of another version, or was
   *     changed
   */
  public static Image read(Path file) throws IOException {
    return new Image(HeapImage.read(file));
  }

  /**
   * Writes the image to a file. It is written under another name first, so that a crash leaves the
   * file as it was.
   *
   * @param file the file, which is replaced
   * @throws IOException if the file cannot be written
   */
  public void write(Path file) throws IOException {
    heap.write(file);
  }

  /** {@return a copy of the image's bytes, for any store} */
  public byte[] bytes() {
    return heap.bytes();
  }

  /** {@return the number of bytes} */
  public int size() {
    return heap.size();
  }

  /** {@return the number of elements in the heap} */
  public int elements() {
    return heap.elements();
  }

  HeapImage heap() {
    return heap;
  }

  /** {@return a text with the number of elements and bytes} */
  @Override
  public String toString() {
    return "image of a guest, " + elements() + " elements, " + size() + " bytes";
  }
}
