package dev.gleaner.it.planted;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A place in a method, named by what the method does there.
 *
 * @param method such as {@code Marker.scan}: a class's simple name and a method, with a descriptor
 *     (packages left out) where several methods have the name
 * @param kind of the item; empty for the beginning of the method
 * @param name of the item, for calls and fields with or without the class
 * @param nth which of the items, from 1; 0 if there is only one
 * @param step -1 for the last branch before the item, 1 for the next one after; else 0
 */
record Place(String method, String kind, String name, int nth, int step) {

  /** A method as a whole. */
  static Place in(String method) {
    return new Place(method, "", "", 0, 0);
  }

  /** A call; for a constructor the name is {@code Type.<init>}. */
  Place call(String callee) {
    return new Place(method, "call", callee, 0, 0);
  }

  /** A read of a field. */
  Place get(String field) {
    return new Place(method, "get", field, 0, 0);
  }

  /** A write of a field. */
  Place set(String field) {
    return new Place(method, "set", field, 0, 0);
  }

  /** A constant, of any type. */
  Place constant(long value) {
    return new Place(method, "constant", Long.toString(value), 0, 0);
  }

  /** A constant, of type double. */
  Place constant(double value) {
    return new Place(method, "constant", Double.toString(value), 0, 0);
  }

  /** A handler of exceptions of a class, such as {@code Throwable}. */
  Place handler(String type) {
    return new Place(method, "catch", type, 0, 0);
  }

  /** An arithmetic instruction, such as {@code LADD}. */
  Place operator(String instruction) {
    return new Place(method, "operator", instruction, 0, 0);
  }

  /** A conditional branch, such as {@code IFLT}. */
  Place branch(String instruction) {
    return new Place(method, "if", instruction, 0, 0);
  }

  /** One of several places alike, from 1. */
  Place nth(int which) {
    return new Place(method, kind, name, which, step);
  }

  /** The next branch after this place: the condition that has this item. */
  Place condition() {
    return new Place(method, kind, name, nth, 1);
  }

  /** The last branch before this place: the condition of the statement that has this item. */
  Place guard() {
    return new Place(method, kind, name, nth, -1);
  }

  String type() {
    return title().substring(0, title().lastIndexOf('.'));
  }

  private String title() {
    int descriptor = method.indexOf('(');
    return descriptor < 0 ? method : method.substring(0, descriptor);
  }

  boolean names(Sketch sketch) {
    String simple = method.replaceFirst("^([a-z]\\w*\\.)+", "");
    return sketch.title().equals(simple) || (sketch.type() + "." + sketch.name()).equals(simple);
  }

  boolean isWhole() {
    return kind.isEmpty();
  }

  /** {@return the number of the item in a sketch, or -1} */
  int find(Sketch sketch) {
    List<Sketch.Item> items = sketch.items();
    int[] found = IntStream.range(0, items.size()).filter(i -> matches(items.get(i))).toArray();
    if (nth == 0 && found.length > 1) {
      throw new LostAnchorException(
          sketch.title() + " has " + found.length + " of " + this + "; say which by nth(n)");
    }
    int at = Math.max(nth, 1) - 1;
    return at < found.length ? found[at] : -1;
  }

  /** {@return the item that is meant, given the one that is named} */
  int follow(Sketch sketch, int from) {
    int at = from;
    while (step != 0 && at >= 0 && !sketch.items().get(at).kind().equals("if")) {
      at += step;
      if (at == sketch.items().size()) {
        at = -1;
      }
    }
    if (at < 0) {
      throw new LostAnchorException("no condition at " + this + " in " + sketch.title());
    }
    return at;
  }

  private boolean matches(Sketch.Item item) {
    return item.kind().equals(kind)
        && (item.name().equals(name) || (item.owner() + "." + item.name()).equals(name));
  }

  // What is done there.

  /** The call or write is left out; a call gives 0 or null. */
  Edit skipped() {
    return new Edit(this, Edit.Change.SKIPPED, "", 0, 0);
  }

  /** Nothing is computed: the value is this; for references null, whatever the number. */
  Edit becomes(long value) {
    return new Edit(this, Edit.Change.BECOMES, "", 0, value);
  }

  /** So much is added to the value that is computed or written. */
  Edit plus(long value) {
    return new Edit(this, Edit.Change.PLUS, "", 0, value);
  }

  /** Instead of the call its argument is the value; of an operator the left side. */
  Edit passes(int argument) {
    return new Edit(this, Edit.Change.PASSES, "", argument, 0);
  }

  /** An argument is another value. */
  Edit with(int argument, long value) {
    return new Edit(this, Edit.Change.WITH, "", argument, value);
  }

  /** An argument is what another argument is. */
  Edit withCopy(int argument, int of) {
    return new Edit(this, Edit.Change.COPY, "", argument, of);
  }

  /** The call happens two times. */
  Edit twice() {
    return new Edit(this, Edit.Change.TWICE, "", 0, 0);
  }

  /** Another instruction, a method of the JDK with the same arguments, or class of exceptions. */
  Edit by(String other) {
    return new Edit(this, Edit.Change.BY, other, 0, 0);
  }

  /** The condition is true where it was false. */
  Edit negated() {
    return new Edit(this, Edit.Change.NEGATED, "", 0, 0);
  }

  /** The branch is never taken: the condition of an {@code if} holds always. */
  Edit holds() {
    return new Edit(this, Edit.Change.HOLDS, "", 0, 0);
  }

  /** The branch is always taken: the condition of an {@code if} never holds. */
  Edit fails() {
    return new Edit(this, Edit.Change.FAILS, "", 0, 0);
  }

  /** The method returns at once. */
  Edit returns(long value) {
    return new Edit(this, Edit.Change.RETURNS, "", 0, value);
  }

  @Override
  public String toString() {
    return isWhole()
        ? method
        : (step < 0 ? "the condition before " : step > 0 ? "the condition after " : "")
            + kind
            + " "
            + name
            + (nth > 0 ? " number " + nth : "");
  }
}
