/**
 * The workloads of the command line, each under every collector and, where it can be, on plain Java
 * objects.
 */
@NullMarked
package dev.gleaner.lab.workload;

import org.jspecify.annotations.NullMarked;
