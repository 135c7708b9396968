package dev.gleaner.weak;

/**
 * A collection in slices that has closed its marking: what it did not mark the program must not
 * reach any more. Until all that leads there is cleared, who reads a weak place asks here first.
 *
 * <pre>
 *   closed      all that roots and weak tables hold is marked; the program has nothing else
 *   find        unmarked elements with a finalizer are held back; none runs yet
 *   hide        weak references and values that are unmarked go; unmarked keys are noted as hidden
 *   trace       what is held back, and what it leads to: the program sees none of it
 *   clear       entries and keys of what is unmarked still; then finalizers are due
 * </pre>
 *
 * <p>So for the program the collection is over at one moment, that of the closing. One thing is
 * open until finalizers are traced: whether an entry with an unmarked key stays, as a finalizer may
 * keep the key. A program that meets such an entry makes the heap decide all at once. Strings are
 * not hidden: one that is read is marked.
 */
public interface Undecided {
  /** Whether an element in a weak place is gone, or hidden as yet. */
  boolean hides(long element);

  /** Does all the rest at once. */
  void decide();
}
