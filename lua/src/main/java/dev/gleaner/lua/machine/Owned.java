package dev.gleaner.lua.machine;

import dev.gleaner.heap.FreeCallback;
import dev.gleaner.lua.memory.Account;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The callback of a native element whose Java object the guest pays for, until the element is
 * freed. One that an image has is nobody's until the machine is there.
 */
final class Owned implements FreeCallback {
  /** Whose the Java object is. */
  enum Kind {
    /** A {@link HostCode}. */
    FUNCTION('F'),
    /** A {@link HostObject}. */
    OBJECT('O'),
    /** A {@link Savable}. */
    LIBRARY('L');

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** Returns the byte that stands for the kind in an image. */
    int code() {
      return code;
    }

    /** Returns the kind of a byte; null if none has this one. */
    static @Nullable Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  /** Bytes of a native element in the heap's tables, with its callback. */
  static final int NATIVE = 176;

  /** The most bytes that an image may name. */
  static final long MOST = 1 << 20;

  private static final int HOST_OBJECT = 64;
  private static final int HOST_FUNCTION = 128;

  private final Kind kind;
  private final long bytes;
  private final @Nullable FreeCallback last;
  private @Nullable Account payer;
  private @Nullable IntConsumer codes;
  private boolean freed;

  /**
   * Prepares a callback.
   *
   * @param bytes the size of the Java object on the JVM's heap
   * @param last runs at the end; null for nothing
   */
  Owned(Kind kind, long bytes, @Nullable FreeCallback last) {
    this.kind = kind;
    this.bytes = bytes;
    this.last = last;
  }

  static Owned ofFunction() {
    return new Owned(Kind.FUNCTION, HOST_FUNCTION, null);
  }

  static Owned ofObject() {
    return new Owned(Kind.OBJECT, HOST_OBJECT, null);
  }

  Kind kind() {
    return kind;
  }

  long bytes() {
    return bytes;
  }

  /**
   * Charges the guest, unless the element is freed already.
   *
   * @param releaseCode frees the code number of a function
   */
  void charge(Account account, IntConsumer releaseCode) {
    if (!freed) {
      account.charge(bytes + NATIVE);
      payer = account;
      codes = releaseCode;
    }
  }

  /** Ends the charge. Returns whether there was one. */
  boolean release() {
    Account paid = payer;
    payer = null;
    freed = true;
    if (paid != null) {
      paid.release(bytes + NATIVE);
    }
    return paid != null;
  }

  @Override
  public void freed(Object value, boolean closing) {
    if (!release()) {
      return;
    }
    if (kind == Kind.FUNCTION && value instanceof HostCode code && codes != null) {
      code.release(codes);
    } else if (kind == Kind.OBJECT && value instanceof HostObject object) {
      object.free();
    }
    if (last != null) {
      last.freed(value, closing);
    }
  }
}
