package dev.gleaner.settings;

import org.apiguardian.api.API;

/**
 * Section {@code mark}.
 *
 * @param recursionLimit the elements that the mark stack holds at most; beyond it the mark phase
 *     remembers that it has to look again, and needs no more memory
 * @param threads the Java threads that mark in a collection that stops the program, where more
 *     elements are to be scanned than the stack holds; 1 for the heap's alone
 */
@API(status = API.Status.STABLE, since = "0.1")
public record MarkSettings(int recursionLimit, int threads) {}
