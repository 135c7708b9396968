/**
 * The shadow-heap oracle: random programs on a heap and on a plain Java model of it, compared as
 * they go.
 *
 * <pre>
 *   Oracle -- runs --> RandomProgram -- rolls --> Operation (of *Operations), on
 *      |                    |                        Twin = Heap + ShadowHeap + Script
 *      |                    '-- checks: GraphComparison, ShadowCollector, MeterComparison, heap.inspect().verify()
 *      '-- on failure --> Reproduction -- Shrinker, Expectations --> Failure with a .heap file
 * </pre>
 *
 * <h2>Twin and model</h2>
 *
 * An operation is done on the heap and on the model alike; everything is named by slots, globals
 * and weak references, so a collector may move what it likes, whenever it likes. The model has the
 * elements, the roots, the finalizers and the strings, and finds by itself what can be reached. It
 * collects when the heap says that it did, whatever the cause.
 *
 * <h2>What is expected of a collector</h2>
 *
 * What its traits promise; no collector is known by name.
 *
 * <ul>
 *   <li>Exact: {@code cycles}, {@code duktape-finalizers}, neither {@code prompt} nor {@code
 *       frames}, {@code minor} nor incremental. What each collection frees, clears and finalizes,
 *       and in which order, is known: all figures must agree after every single one.
 *   <li>Otherwise (counting, slices, ordered finalizers, frames, minor collections) a collection
 *       may leave garbage. At each one it is checked that nothing in reach was freed or cleared,
 *       and that no finalizer was called whose element was never lost, nor twice for one loss. A
 *       check collects, with finalizers that do nothing, until nothing is due any more: then what
 *       is left must be exactly what can be reached, or without {@code cycles} what counting
 *       leaves.
 * </ul>
 *
 * <h2>Images</h2>
 *
 * A program may be saved in its midst, and go on in a heap that is opened from the image, under
 * another collector. The model goes on as well: it loses what an image does not have, as weak
 * references of the host, and what no root reaches. Meters are not compared then.
 *
 * <h2>Shrinking</h2>
 *
 * Each step has dice of its own, seeded by the program's seed and the step's number, those of
 * finalizers too. So any steps can be left out without a change to what the others roll, and a
 * failing program is halved until no step can be spared.
 *
 * <h2>Writing</h2>
 *
 * Operations say what they do in the scenario language: a slot is {@code s3}, a global {@code @g3},
 * a weak reference {@code ~w3}, a frame a block, what a finalizer does fills its block. Two modes
 * make only programs that can be said in full, with collections as statements or under torture:
 * when a program fails, programs of these modes are tried until one fails as well. Where it fails,
 * the model is asked what must hold, there and after further collections; that is appended, and the
 * scenario is run to see that it fails. On a sound collector it passes.
 */
@NullMarked
package dev.gleaner.kit.oracle;

import org.jspecify.annotations.NullMarked;
