package dev.gleaner.lua;

/**
 * Figures of hot functions that are code of the JVM. Guests of a {@link Lua} share that of equal
 * functions: it counts for one of them.
 *
 * @param functions there are now
 * @param bytes of their class files, at least 0; the JVM takes some times as many
 * @param made so far, from 0 up
 * @param dropped of those made, as others took their places; of a guest, of those that counted for
 *     it
 */
public record CompiledFunctions(int functions, long bytes, long made, long dropped) {}
