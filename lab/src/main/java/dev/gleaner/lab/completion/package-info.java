/** Completion scripts for shells, made from the commands as picocli knows them. */
@NullMarked
package dev.gleaner.lab.completion;

import org.jspecify.annotations.NullMarked;
