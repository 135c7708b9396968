package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of property tables: their keys. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class PropertyBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private PropertyBugs() {}

  static List<PlantedBug> all() {
    PropertyBugs list = new PropertyBugs();
    list.keys();
    return list.bugs;
  }

  private void in(
      String collector, String part, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, API + part + ".java", original, planted));
  }

  private void keys() {
    in(
        "marksweep",
        "table/Keys",
        "double-keys-as-they-are",
        "a double is another key than the integer of the same value",
        "      return i == d ? Values.ofInt(i) : ",
        "      return ");
    in(
        "refcount",
        "table/Keys",
        "null-is-a-key",
        "null is taken as a key",
        "    return value == Values.NULL ? Values.UNDEFINED : value;\n",
        "    return value;\n");
    in(
        "semispace",
        "table/Keys",
        "element-keys-by-place",
        "a key by identity is searched where it would be if it had not moved",
        "    return moving ? identities.hash(key) : hashOfWord(key);\n",
        "    return hashOfWord(key);\n");
    in(
        "framestack",
        "heap/ObjectAccess",
        "element-key-without-escape",
        "a record that is a key goes with its frame",
        "    return owned ? mutator.escaping(k) : k;\n",
        "    return k;\n");
  }
}
