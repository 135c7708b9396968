@NullMarked
package dev.gleaner.kit.oracle;

import org.jspecify.annotations.NullMarked;
