package dev.gleaner.lab.output;

/**
 * A setting in force: what the heap used once everything that precedes something else had done so.
 *
 * @param path such as {@code gleaner.memory.max}
 * @param value as HOCON
 * @param usual its default as HOCON; empty if it has none
 * @param origin who set it, such as {@code --max-memory}
 */
public record Setting(String path, String value, String usual, String origin) {
  /** Returns whether it is not the default. */
  public boolean changed() {
    return !value.equals(usual);
  }
}
