/**
 * The workloads of the command line, each under every collector and, where it can be, on plain Java
 * objects.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.workload;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
