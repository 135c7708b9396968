/** For those who write a collector: the contract, memory, layouts, root scanning. */
@NullMarked
package dev.gleaner.spi;

import org.jspecify.annotations.NullMarked;
