package dev.gleaner.lab.hprof;

import org.jspecify.annotations.Nullable;

/** The kinds of GC roots in a heap dump, with their tags and what follows the identifier. */
public enum HprofRoot {
  UNKNOWN(0xff, "unknown root", 0, 0),
  JNI_GLOBAL(0x01, "global reference", 0, 1),
  JNI_LOCAL(0x02, "native frame's slot", 8, 0),
  JAVA_FRAME(0x03, "frame's slot", 8, 0),
  NATIVE_STACK(0x04, "native stack", 4, 0),
  STICKY_CLASS(0x05, "system class", 0, 0),
  THREAD_BLOCK(0x06, "thread block", 4, 0),
  MONITOR(0x07, "monitor", 0, 0),
  THREAD(0x08, "thread", 8, 0);

  private static final @Nullable HprofRoot[] BY_TAG = new @Nullable HprofRoot[256];

  static {
    for (HprofRoot root : values()) {
      BY_TAG[root.tag] = root;
    }
  }

  private final int tag;
  private final String text;
  private final int bytes;
  private final int ids;

  HprofRoot(int tag, String text, int bytes, int ids) {
    this.tag = tag;
    this.text = text;
    this.bytes = bytes;
    this.ids = ids;
  }

  /** Returns the kind with this tag, or null if there is none. */
  static @Nullable HprofRoot ofTag(int tag) {
    return BY_TAG[tag];
  }

  /** Returns the bytes after the identifier, in a file whose identifiers have this size. */
  int rest(int idSize) {
    return bytes + ids * idSize;
  }

  /** Returns what to call it. */
  public String text() {
    return text;
  }
}
