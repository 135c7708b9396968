package dev.gleaner.it.planted;

/**
 * A bug.
 *
 * @param name a word for it
 * @param text what the collector does wrong
 * @param collector the collector that has it
 * @param source the file below the project's root
 * @param original lines of the file; they occur once
 * @param planted what stands there instead
 */
record PlantedBug(
    String name, String text, String collector, String source, String original, String planted) {

  @Override
  public String toString() {
    return name;
  }
}
