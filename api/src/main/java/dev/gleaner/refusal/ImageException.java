package dev.gleaner.refusal;

/**
 * A heap cannot be saved as an image, or bytes are no image that can be opened. The message says
 * where. A heap that was to be saved is as it was; of one that was to be opened nothing is left.
 */
public class ImageException extends HeapException {
  private static final long serialVersionUID = 1;

  /**
   * Makes an exception.
   *
   * @param message what is wrong, and where
   */
  public ImageException(String message) {
    super(message);
  }
}
