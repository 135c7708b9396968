package dev.gleaner.space;

import java.util.Arrays;

/**
 * The one choke point of a heap's memory limit: every cell, auxiliary block, plain block and
 * reserved external byte is charged here before it is handed out.
 *
 * <p>Runs of free cells are charged in advance, when they are granted. The limit is exact all the
 * same: before a charge is refused the advances are given back, and {@link #used} leaves them out.
 */
public final class Budget {
  private final long max;
  private long charged;
  private long external;
  private long peak;

  /** The use at most, when it was last looked at for a frame, since the last charge. */
  private long looked;

  private Advances[] advances = {};

  public Budget(long max) {
    this.max = max;
  }

  public long max() {
    return max;
  }

  /** Bytes charged, the unused part of granted buffers included. */
  public long charged() {
    return charged;
  }

  public long external() {
    return external;
  }

  public long remaining() {
    return max - charged;
  }

  /** Charges bytes; takes back what is granted but unused before it refuses. */
  public boolean charge(long bytes) {
    if (bytes > max - charged) {
      takeBack();
      if (bytes > max - charged) {
        return false;
      }
    }
    charged += bytes;
    looked = 0;
    return true;
  }

  /** Takes back all that is granted but unused. */
  void takeBack() {
    for (Advances a : advances) {
      a.giveBack();
    }
  }

  public void refund(long bytes) {
    charged -= bytes;
  }

  public boolean chargeExternal(long bytes) {
    if (!charge(bytes)) {
      return false;
    }
    external += bytes;
    return true;
  }

  public void refundExternal(long bytes) {
    external -= bytes;
    refund(bytes);
  }

  /** Takes note of the use so far; called before it falls. */
  public void notePeak() {
    if (charged > peak) {
      peak = Math.max(peak, used());
    }
  }

  /**
   * Takes note of the use so far before a frame is left: asks the advances only if more may be in
   * use than when it did last. What they alone put to use in between it may miss.
   *
   * @param unused bytes charged that the caller knows to be unused
   */
  public void notePeak(long unused) {
    long most = charged - unused;
    if (most > peak && most > looked) {
      looked = most;
      peak = Math.max(peak, used());
    }
  }

  /** The most bytes that were in use. Writes nothing: another thread may ask. */
  public long peak() {
    return charged > peak ? Math.max(peak, used()) : peak;
  }

  /** Bytes in use, exactly. */
  public long used() {
    long used = charged;
    for (Advances a : advances) {
      used -= a.unusedBytes();
    }
    return used;
  }

  /** Names one more who is charged in advance. */
  public void addAdvances(Advances source) {
    advances = Arrays.copyOf(advances, advances.length + 1);
    advances[advances.length - 1] = source;
  }

  /** Who holds charged bytes that no element uses yet. */
  public interface Advances {
    long unusedBytes();

    /** Refunds all of them. */
    void giveBack();
  }
}
