/**
 * What one operation of the heap costs, in nanoseconds, beside its alternative on plain Java
 * objects in the same run.
 *
 * <p>Every benchmark does its operation in a loop, as the compiled code of a language runtime
 * would, and divides. {@code -p collector=NAME} picks a collector, {@code -prof gc} shows that
 * nothing is allocated on the JVM's own heap.
 */
@NullMarked
package dev.gleaner.lab.bench;

import org.jspecify.annotations.NullMarked;
