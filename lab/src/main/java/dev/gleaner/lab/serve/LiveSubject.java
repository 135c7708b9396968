package dev.gleaner.lab.serve;

/**
 * A row of the live page: the meters that have a tag.
 *
 * @param name what the row is called
 * @param tag the tag's key
 * @param value the tag's value
 */
record LiveSubject(String name, String tag, String value) {}
