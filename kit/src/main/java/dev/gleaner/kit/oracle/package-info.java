/** Random programs on a heap and on a model of it. */
@NullMarked
package dev.gleaner.kit.oracle;

import org.jspecify.annotations.NullMarked;
