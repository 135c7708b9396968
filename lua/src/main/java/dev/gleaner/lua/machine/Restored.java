package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import java.util.Map;

/**
 * What an image says of a machine, besides its elements.
 *
 * @param roots the roots, which the machine takes by their names
 * @param kept what libraries kept beside the heap, by name
 * @param countsOn whether instructions before count
 */
record Restored(Map<String, GlobalRef> roots, Map<String, long[]> kept, boolean countsOn) {}
