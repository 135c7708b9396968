/** Reference counting: elements go the moment their last reference does. */
@NullMarked
package dev.gleaner.collector.refcount;

import org.jspecify.annotations.NullMarked;
