/** What the tests of collectors share. */
@NullMarked
package dev.gleaner.testing;

import org.jspecify.annotations.NullMarked;
