/**
 * Bugs planted into collectors, to see whether the conformance kit finds them.
 *
 * <p>Each is a change of one instruction's byte code. {@link dev.gleaner.it.planted.PlantedBugs}
 * has the list, {@link dev.gleaner.it.planted.Place} the words for places and changes, and {@link
 * dev.gleaner.it.planted.Anchors} finds the places in the classes.
 */
@NullMarked
package dev.gleaner.it.planted;

import org.jspecify.annotations.NullMarked;
