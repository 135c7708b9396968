package dev.gleaner.trace;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;

/**
 * Declares an operation of a heap: how a trace has it. The recorder, the replay, the tests of wrong
 * calls and the table in docs/internal/trace-format.md follow from this.
 *
 * <pre>
 *   &#64;Traced(code = 33, operands = "record r, index i, slot s")
 *   public void store(int r, int i, int s)
 * </pre>
 *
 * <p>Where the recorder or the replay has a method of its own for the operation, that one is taken.
 * A code is never given to another operation, so that old traces stay readable.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(Traced.All.class)
public @interface Traced {
  /**
   * The byte that stands for the operation.
   *
   * @return from 8 to 255
   */
  int code();

  /**
   * Its name, in words with hyphens.
   *
   * @return empty for that of the method
   */
  String name() default "";

  /**
   * Its operands in the order of the trace: for each a {@link TraceOperand.Sort}, and what it is.
   * Every parameter of the method is one of them; one that no parameter fits is an answer.
   *
   * @return separated by a comma and a space
   */
  String operands() default "";

  /**
   * Whether the answer goes into the hash of what the program has read.
   *
   * @return false where the answer depends on the collector, or is none that can be compared
   */
  boolean reads() default true;

  /**
   * Whether the answer is a tagged value. What goes into the hash of a reference is that it is one:
   * where its element lies depends on the collector.
   *
   * @return true for an operation that answers what a slot holds
   */
  boolean tagged() default false;

  /** The declarations of a method that stands for several operations. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    /**
     * The operations.
     *
     * @return one for each code
     */
    Traced[] value();
  }
}
