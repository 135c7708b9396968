package dev.gleaner.lab.growth;

/**
 * The memory that a program took at one size.
 *
 * @param n the size
 * @param bytes the most in use at once
 * @param collections finished ones, of any cause
 * @param checksum what the program found; 0 if it finds nothing
 */
public record Peak(long n, long bytes, long collections, long checksum) {}
