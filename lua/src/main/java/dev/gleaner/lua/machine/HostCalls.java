package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.Answer;
import dev.gleaner.lua.HostRoutine;
import org.jspecify.annotations.Nullable;

/**
 * Routines of the host. Their frames wait for a call or a resume without a Java frame.
 *
 * <pre>
 *   slot 0   the function
 *   slot 1   the return word of the function
 *   slot 2   a native element with the routine that continues, or nil
 *   slot 3   the function to call, or values
 * </pre>
 */
final class HostCalls {
  private static final int INFO = 1;
  private static final int NEXT = 2;
  private static final int VALUES = Protection.VALUES;

  /** The routine has {@link #count} results, from slot {@link #first} on. */
  static final int RETURNS = 0;

  /** The routine calls the function in slot VALUES, with {@link #count} arguments. */
  static final int CALLS = 1;

  /** The routine has yielded. */
  static final int DONE = 2;

  private final Parts parts;
  private final State s;
  private final Calls calls;
  private final Host host;
  private final Mutator t;

  /** The arguments of a call that the machine's loop will begin; -1 for none. */
  private int pending = -1;

  int first;
  int count;

  /** The return word of the routine. */
  long ret;

  HostCalls(Parts parts, Calls calls, Host host) {
    this.parts = parts;
    this.s = parts.state;
    this.calls = calls;
    this.host = host;
    this.t = s.t;
  }

  /** Begins a routine, in its frame. Returns RETURNS, CALLS or DONE. */
  int start(HostRoutine routine, int n, long r) {
    return act(routine, 1, n, r);
  }

  /** Returns whether the frame is that of a routine. */
  boolean waits() {
    int number = t.functionCode(0);
    return number >= 0 && s.codes.hosts[number] != null;
  }

  /** Continues a routine, with values from slot VALUES on. Returns RETURNS, CALLS or DONE. */
  int goOn(int n) {
    s.setCode(null);
    long r = Return.of(t.get(INFO));
    if (t.get(NEXT) == Values.UNDEFINED) {
      first = VALUES;
      count = n;
      ret = r;
      return RETURNS;
    }
    return act((HostRoutine) t.nativeValue(NEXT), VALUES, n, r);
  }

  /** Continues a routine that yielded, after the resume of its coroutine. */
  void resumed(int n) {
    switch (goOn(n)) {
      case RETURNS -> calls.finish(first, count, ret);
      case CALLS -> postpone();
      default -> {}
    }
  }

  /** Leaves the call to the machine's loop, so that calls in a row do not nest in Java. */
  void postpone() {
    pending = count;
    s.exit = true;
  }

  /** Forgets the waiting call. */
  void abandon() {
    pending = -1;
  }

  /** Begins the waiting call. Returns false if there is none. */
  boolean begin() {
    if (pending < 0) {
      return false;
    }
    int n = pending;
    pending = -1;
    calls.invoke(VALUES, n, Return.of(Return.LIBRARY, VALUES, Return.ALL));
    return true;
  }

  private int act(HostRoutine routine, int from, int n, long r) {
    parts.arguments.begin(n);
    return host.serve(() -> {
      HostInvocation call = new HostInvocation(parts, host, from, n);
      return follow(host.run(() -> routine.call(call)), n, r);
    });
  }

  private int follow(Answer answer, int n, long r) {
    @Nullable Object[] values = answer.values();
    if (answer.kind() == Answer.Kind.RESULTS) {
      parts.arguments.begin(n);
      first = parts.arguments.room(values.length, "too many results");
      count = values.length;
      ret = r;
      place(first, values);
      return RETURNS;
    }
    wait(answer, r);
    if (answer.kind() == Answer.Kind.YIELD) {
      calls.protection().checkYield();
      t.resizeFrame(VALUES + values.length);
      place(VALUES, values);
      calls.protection().suspend(values.length);
      return DONE;
    }
    t.resizeFrame(VALUES + 1 + values.length);
    host.set(VALUES, answer.function());
    place(VALUES + 1, values);
    count = values.length;
    return CALLS;
  }

  private void wait(Answer answer, long r) {
    if (t.frameSize() < VALUES) {
      t.resizeFrame(VALUES);
    }
    HostRoutine next = answer.next();
    if (next == null) {
      t.set(NEXT, Values.UNDEFINED);
    } else {
      t.newNative(NEXT, next, null);
    }
    t.set(INFO, Return.save(0, r));
  }

  private void place(int at, @Nullable Object[] values) {
    for (int i = 0; i < values.length; i++) {
      host.set(at + i, values[i]);
    }
  }
}
