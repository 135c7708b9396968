package dev.gleaner.image;

/** What Java objects are to a heap. */
public enum ImageRole {
  NATIVE("Java object"),
  FREE_CALLBACK("on-free callback"),
  THREAD_OBJECT("Java object of a thread"),
  FINALIZER("finalizer"),
  CODE("code number");

  private static final ImageRole[] ALL = values();

  private final String text;

  ImageRole(String text) {
    this.text = text;
  }

  /** Returns the role in words. */
  public String text() {
    return text;
  }

  /** Returns the number that stands for the role in images. */
  @SuppressWarnings("EnumOrdinal") // the format says so
  int code() {
    return ordinal();
  }

  /** Returns the role of a number, or refuses it. */
  public static ImageRole read(ImageInput in) {
    return ALL[in.small(ALL.length - 1, "the role of a Java object")];
  }
}
