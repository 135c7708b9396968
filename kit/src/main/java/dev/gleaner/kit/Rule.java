package dev.gleaner.kit;

import java.util.function.Supplier;
import org.apiguardian.api.API;

/**
 * One thing that a collector owes.
 *
 * @param name what is checked, such as {@code scenario strings/one-copy.heap}
 * @param text what must hold, in a line, with the rows of the checklist; empty if the name says it
 * @param check finds out whether it holds; may be called any number of times
 */
@API(status = API.Status.STABLE, since = "0.1")
public record Rule(String name, String text, Supplier<Verdict> check) {}
