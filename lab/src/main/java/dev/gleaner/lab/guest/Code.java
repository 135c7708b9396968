package dev.gleaner.lab.guest;

import java.util.List;

/** A function of a guest's program: instructions of four words, an operation and its operands. */
final class Code {
  /** Words of an instruction. */
  static final int WIDTH = 4;

  final String name;

  /** The instructions. */
  final int[] words;

  /** Slots of its frame: the function itself, parameters, the rest. */
  final int registers;

  Code(String name, int[] words, int registers) {
    this.name = name;
    this.words = words;
    this.registers = registers;
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * A program: its functions, the first one being where it begins, and what they mention.
   *
   * @param numbers as tagged values
   * @param names the property names
   */
  record Program(List<Code> functions, List<Long> numbers, List<String> names) {}
}
