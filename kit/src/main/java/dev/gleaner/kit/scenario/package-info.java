/** The scenario language: heap operations and expectations in small text files. */
@NullMarked
package dev.gleaner.kit.scenario;

import org.jspecify.annotations.NullMarked;
