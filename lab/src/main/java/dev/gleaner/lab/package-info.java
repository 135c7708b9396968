/**
 * The command line.
 *
 * <p>{@link dev.gleaner.lab.Main} is the front end: it checks the request, starts a {@link
 * dev.gleaner.lab.Worker} for every collector in a JVM of its own, and shows what they report.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
