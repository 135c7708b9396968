package dev.gleaner.it.planted;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a method does, as a list of items: calls, fields, constants, branches, and operators.
 *
 * <p>A sketch does not depend on packages, lines, and the names of local variables. A sketch that
 * was recorded finds its method again after a rename: the method is the most similar one. It finds
 * an item again, too: the item is at the same place among those that have kept their names.
 */
record Sketch(
    @Nullable MethodModel method, String type, String name, String descriptor, List<Item> items) {

  /**
   * One step of a method.
   *
   * @param kind such as {@code call}
   * @param owner the simple name of the class of the method or field; empty for others
   * @param name of the method or field; a constant's value; an instruction's name
   * @param type the descriptor, without packages
   * @param in the method; null in a recorded sketch
   * @param index of the element of the method's code; -1 in a recorded sketch
   */
  record Item(
      String kind, String owner, String name, String type, @Nullable MethodModel in, int index) {

    /** {@return what stays when a class is renamed} */
    String text() {
      return kind + " " + name + " " + type;
    }

    /** {@return what stays when the method or field is renamed, too} */
    String shape() {
      return kind + " " + type;
    }

    @Override
    public String toString() {
      return kind + " " + (owner.isEmpty() ? "" : owner + ".") + name + " " + type;
    }

    static Item parse(String line) {
      String[] words = line.split(" ", -1);
      int dot = words[1].lastIndexOf('.');
      boolean member = dot > 0 && (words[0].equals("call") || words[0].endsWith("et"));
      String owner = member ? words[1].substring(0, dot) : "";
      return new Item(
          words[0], owner, member ? words[1].substring(dot + 1) : words[1], words[2], null, -1);
    }
  }

  /** Sketches a method with the lambdas in it. */
  static Sketch of(ClassModel type, MethodModel method) {
    List<Item> items = new ArrayList<>();
    String name = method.methodName().stringValue();
    add(method, items);
    for (MethodModel each : type.methods()) {
      if (each.methodName().stringValue().startsWith("lambda$" + name + "$")) {
        add(each, items);
      }
    }
    return new Sketch(
        method,
        simple(type.thisClass().asInternalName()),
        name,
        plain(method.methodType().stringValue()),
        List.copyOf(items));
  }

  /** {@return the methods of a class that have code, without those of the compiler} */
  static List<MethodModel> methods(ClassModel type) {
    return type.methods().stream()
        .filter(m -> m.code().isPresent() && !m.flags().has(AccessFlag.SYNTHETIC))
        .toList();
  }

  /** {@return the name of a class without its package; a dot follows the outer class} */
  static String simple(String internalName) {
    return internalName.substring(internalName.lastIndexOf('/') + 1).replace('$', '.');
  }

  private static String plain(String descriptor) {
    return descriptor.replaceAll("L(?:[\\w$]+/)*([\\w$]+);", "L$1;");
  }

  private static void add(MethodModel method, List<Item> items) {
    CodeModel code = method.code().orElseThrow();
    int index = 0;
    for (CodeElement element : code.elementList()) {
      Item item = item(element, method, index++);
      if (item != null) {
        items.add(item);
      }
    }
  }

  private static @Nullable Item item(CodeElement element, MethodModel in, int index) {
    return switch (element) {
      case InvokeInstruction i -> member("call", i.method(), in, index);
      case FieldInstruction i ->
          member(i.opcode().name().startsWith("GET") ? "get" : "set", i.field(), in, index);
      case InvokeDynamicInstruction i ->
          new Item("lambda", "", i.name().stringValue(), plain(i.type().stringValue()), in, index);
      case ConstantInstruction i -> {
        String value = String.valueOf(i.constantValue()).replaceAll("[\\s|]", "_");
        yield new Item("constant", "", value, i.typeKind().name(), in, index);
      }
      case OperatorInstruction i -> new Item("operator", "", i.opcode().name(), "", in, index);
      case IncrementInstruction i ->
          new Item("operator", "", "IINC", String.valueOf(i.constant()), in, index);
      case BranchInstruction i when !i.opcode().name().startsWith("GOTO") ->
          new Item("if", "", i.opcode().name(), "", in, index);
      case ExceptionCatch c -> {
        String type = c.catchType().map(t -> simple(t.asInternalName())).orElse("any");
        yield new Item("catch", "", type, "", in, index);
      }
      default -> null;
    };
  }

  private static Item member(String kind, MemberRefEntry member, MethodModel in, int index) {
    return new Item(
        kind,
        simple(member.owner().asInternalName()),
        member.name().stringValue(),
        plain(member.type().stringValue()),
        in,
        index);
  }

  /** {@return the class, the method, and its descriptor} */
  String title() {
    return type + "." + name + descriptor;
  }

  /** {@return how similar a method is: from 0 to 1} */
  double similarity(Sketch other) {
    Map<String, Integer> left = new HashMap<>();
    items.forEach(i -> left.merge(i.text(), 1, Integer::sum));
    int same = descriptor.equals(other.descriptor) ? 1 : 0;
    for (Item item : other.items) {
      int there = left.getOrDefault(item.text(), 0);
      left.put(item.text(), there - 1);
      same += there > 0 ? 1 : 0;
    }
    return 2.0 * same / (items.size() + other.items.size() + 2);
  }

  /** {@return the item of another sketch that stands where an item of this one stood; or null} */
  @Nullable Item counterpart(int at, Sketch other) {
    List<Item> there = other.items;
    int[][] common = new int[items.size() + 1][there.size() + 1];
    for (int i = items.size() - 1; i >= 0; i--) {
      for (int j = there.size() - 1; j >= 0; j--) {
        common[i][j] =
            items.get(i).text().equals(there.get(j).text())
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    int gapHere = 0;
    int gapThere = 0;
    int end = there.size();
    while (i < items.size() && j < there.size()) {
      if (items.get(i).text().equals(there.get(j).text())) {
        if (i == at) {
          return there.get(j);
        }
        if (i > at) {
          end = j;
          break;
        }
        gapHere = ++i;
        gapThere = ++j;
      } else if (common[i + 1][j] >= common[i][j + 1]) {
        i++;
      } else {
        j++;
      }
    }
    String shape = items.get(at).shape();
    long rank = items.subList(gapHere, at).stream().filter(x -> x.shape().equals(shape)).count();
    List<Item> found =
        there.subList(gapThere, end).stream().filter(x -> x.shape().equals(shape)).toList();
    return rank < found.size() ? found.get((int) rank) : null;
  }
}
