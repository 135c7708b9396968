package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.memory.Account;

/** Strings as Java strings of bytes, in ISO 8859-1. Copies of long ones are charged. */
final class Strings {
  /** The bytes of the longest text that is copied to a Java string without a charge. */
  private static final int SHORT_TEXT = 1024;

  private final State s;
  private final Mutator t;

  Strings(State state) {
    this.s = state;
    this.t = state.t;
  }

  /** Returns the bytes of the string in a slot. */
  String get(int slot) {
    int length = t.stringBytes(slot);
    if (length > SHORT_TEXT) {
      charge(length);
      try (Account.Loan loan = s.account.borrow()) {
        loan.add(Account.text(length)); // fails before the copy is made if memory has no room
        return MachineTexts.get(t, slot);
      }
    }
    return MachineTexts.get(t, slot);
  }

  /** Stores a string. */
  void set(int d, String bytes) {
    charge(bytes.length() / 2); // most of a long text was read and charged before
    MachineTexts.set(t, d, bytes);
  }

  /** Charges for a copy of a text. The limits are checked after the running instruction. */
  void charge(int length) {
    if (length > SHORT_TEXT) {
      s.limits.charge(length >>> 4);
    }
  }
}
