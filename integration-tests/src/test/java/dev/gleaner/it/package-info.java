/** Tests across all modules, over every collector that is installed. */
@NullMarked
package dev.gleaner.it;

import org.jspecify.annotations.NullMarked;
