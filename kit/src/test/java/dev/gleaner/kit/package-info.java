@NullMarked
package dev.gleaner.kit;

import org.jspecify.annotations.NullMarked;
