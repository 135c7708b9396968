/**
 * What happens inside a worker, the JVM in which one collector runs one workload: the runs, their
 * figures, and the lines in which these travel to the front end. Uses neither picocli nor Jackson,
 * because a worker's start counts in its CPU time.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.measure;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
