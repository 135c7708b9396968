/** Building blocks a collector may use, each usable and tested alone. */
@NullMarked
package dev.gleaner.policy;

import org.jspecify.annotations.NullMarked;
