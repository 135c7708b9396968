@NullMarked
package dev.gleaner.kit.scenario;

import org.jspecify.annotations.NullMarked;
