package dev.gleaner.it.planted;

/**
 * A bug.
 *
 * @param area the part of the code that has it
 * @param collector the collector under which it shows
 * @param name a word for it
 * @param text what goes wrong
 * @param edit the change of the byte code
 */
record PlantedBug(String area, String collector, String name, String text, Edit edit) {

  @Override
  public String toString() {
    return name;
  }
}
