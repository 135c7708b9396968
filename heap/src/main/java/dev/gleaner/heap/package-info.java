/**
 * The heap for runtimes: elements, references, allocation functions.
 *
 * <p>A class knows those below it. No more than five classes know each other in a circle.
 *
 * <pre>
 *   Gleaner's factory    HeapOpening, with a trace: RecordingHeap, RecordingMutator …
 *   faces                Heap, PlainMemory, HeapInspection, HeapFaults; HeapLog calls listeners,
 *                          Callbacks calls finalizers
 *   operations           Mutator: a list of all, one line each
 *   groups               FrameAccess, ValueAccess, RecordAccess, ObjectAccess, StringAccess …;
 *                          each has its checks and its work, and nothing of the others
 *   collections          Driver, FinalizerRunner; they know HeapEvents and ProgramCode alone
 *   words                WordAccess: write, move, drop, store under the collector's barriers;
 *                          Mutator extends it, so that an operation reads one object
 *   registers            Registers of the running thread; Ownership by a Java thread, Soundness
 * </pre>
 *
 * <p>No argument and no result is null, unless it is marked. A null argument that is not marked
 * causes a {@link NullPointerException}. Sizes are in bytes, times in nanoseconds.
 */
@API(status = API.Status.STABLE, since = "0.1")
@NullMarked
package dev.gleaner.heap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
