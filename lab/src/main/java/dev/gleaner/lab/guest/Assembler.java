package dev.gleaner.lab.guest;

import dev.gleaner.layout.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a program: {@code function NAME REGISTERS}, then instructions and labels, one a line.
 * Register 0 of a function is the function itself, its parameters come next.
 */
final class Assembler {
  private final List<Code> functions = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<String> functionNames;

  private Assembler(List<String> functionNames) {
    this.functionNames = functionNames;
  }

  static Code.Program assemble(String text) {
    String[] parts = text.strip().split("function ");
    List<String> names =
        Arrays.stream(parts).skip(1).map(part -> part.substring(0, part.indexOf(' '))).toList();
    Assembler assembler = new Assembler(names);
    Arrays.stream(parts).skip(1).forEach(assembler::function);
    return new Code.Program(assembler.functions, assembler.numbers, assembler.names);
  }

  private void function(String text) {
    List<String[]> lines =
        text.lines().map(line -> line.strip().split(" +")).filter(l -> !l[0].isEmpty()).toList();
    Map<String, Integer> labels = new HashMap<>();
    List<String[]> instructions = new ArrayList<>();
    for (String[] line : lines.subList(1, lines.size())) {
      if (line[0].endsWith(":")) {
        labels.put(line[0].replace(":", ""), instructions.size() * Code.WIDTH);
      } else {
        instructions.add(line);
      }
    }
    int[] words = new int[instructions.size() * Code.WIDTH];
    for (int i = 0; i < instructions.size(); i++) {
      instruction(words, i * Code.WIDTH, instructions.get(i), labels);
    }
    String[] header = lines.getFirst();
    functions.add(new Code(header[0], words, Integer.parseInt(header[1])));
  }

  private void instruction(int[] words, int at, String[] line, Map<String, Integer> labels) {
    int op = 0;
    while (!Op.FORMATS[op].startsWith(line[0] + " ")) {
      op++;
    }
    words[at] = op;
    String letters = Op.FORMATS[op].substring(line[0].length() + 1);
    for (int i = 0; i < letters.length(); i++) {
      String operand = line[i + 1];
      words[at + 1 + i] =
          switch (letters.charAt(i)) {
            case 'n' -> indexIn(numbers, number(operand));
            case 'p' -> indexIn(names, operand);
            case 'l' -> labels.getOrDefault(operand, -1);
            case 'f' -> functionNames.indexOf(operand);
            default -> Integer.parseInt(operand);
          };
    }
  }

  private static long number(String text) {
    return text.contains(".")
        ? Values.ofDouble(Double.parseDouble(text))
        : Values.ofInt(Integer.parseInt(text));
  }

  private static <T> int indexIn(List<T> list, T element) {
    if (!list.contains(element)) {
      list.add(element);
    }
    return list.indexOf(element);
  }
}
