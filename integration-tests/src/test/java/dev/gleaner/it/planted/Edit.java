package dev.gleaner.it.planted;

import static java.lang.classfile.TypeKind.REFERENCE;
import static java.lang.classfile.TypeKind.VOID;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.LocalVariableType;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * A small change of a method's byte code.
 *
 * @param place where
 * @param change what is done there
 * @param other the instruction or method that comes instead; or empty
 * @param argument a number of an argument, from 0, without the receiver
 * @param value a constant
 */
record Edit(Place place, Change change, String other, int argument, long value) {

  /** What is done at a place; {@link Place} has the words. */
  enum Change {
    SKIPPED,
    BECOMES,
    PLUS,
    PASSES,
    WITH,
    COPY,
    TWICE,
    BY,
    NEGATED,
    HOLDS,
    FAILS,
    RETURNS
  }

  /** {@return the class with the change} */
  byte[] apply(Anchors.Target target, Program program) {
    MethodModel method = target.method();
    ClassModel type = method.parent().orElseThrow();
    ClassHierarchyResolver ours =
        ClassHierarchyResolver.ofResourceParsing(name -> {
          String internal = name.descriptorString();
          byte[] file = program.bytes(internal.substring(1, internal.length() - 1));
          return file == null
              ? ClassLoader.getSystemResourceAsStream(
                  internal.substring(1, internal.length() - 1) + ".class")
              : new java.io.ByteArrayInputStream(file);
        });
    ClassFile classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(ours));
    CodeTransform edit =
        CodeTransform.ofStateful(() ->
            new CodeTransform() {
              private int index;

              @Override
              public void atStart(CodeBuilder code) {
                if (change == Change.RETURNS) {
                  TypeKind result = TypeKind.from(method.methodTypeSymbol().returnType());
                  push(code, result, value);
                  code.return_(result);
                }
              }

              @Override
              public void accept(CodeBuilder code, CodeElement element) {
                if (index++ == target.index()) {
                  emit(code, element);
                } else if (!(element instanceof LocalVariable)
                    && !(element instanceof LocalVariableType)) {
                  code.with(element);
                }
              }
            });
    return classFile.transformClass(
        type,
        ClassTransform.transformingMethods(
            m ->
                m.methodName().equals(method.methodName())
                    && m.methodType().equals(method.methodType()),
            MethodTransform.transformingCode(edit)));
  }

  private void emit(CodeBuilder code, CodeElement element) {
    switch (element) {
      case InvokeInstruction call -> call(code, call);
      case FieldInstruction field when field.opcode().name().startsWith("GET") -> get(code, field);
      case FieldInstruction field -> set(code, field);
      case ConstantInstruction constant -> {
        if (change == Change.BECOMES) {
          push(code, constant.typeKind(), value);
        } else {
          plus(code, element, constant.typeKind());
        }
      }
      case OperatorInstruction operator -> operator(code, operator);
      case BranchInstruction branch -> branch(code, branch);
      case ExceptionCatch handler when change == Change.BY ->
          code.exceptionCatch(
              handler.tryStart(), handler.tryEnd(), handler.handler(), ClassDesc.of(other));
      default -> throw misfit(element);
    }
  }

  private LostAnchorException misfit(CodeElement element) {
    return new LostAnchorException(change + " does not fit " + element + " at " + place);
  }

  private void call(CodeBuilder code, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    List<TypeKind> inputs = new ArrayList<>();
    if (call.opcode() != Opcode.INVOKESTATIC) {
      inputs.add(REFERENCE);
    }
    int first = inputs.size();
    type.parameterList().forEach(p -> inputs.add(TypeKind.from(p)));
    TypeKind result = TypeKind.from(type.returnType());
    switch (change) {
      case SKIPPED, BECOMES -> {
        pop(code, inputs);
        push(code, result, value);
      }
      case PASSES -> {
        int chosen = first + argument;
        pop(code, inputs.subList(chosen + 1, inputs.size()));
        int local = store(code, inputs.get(chosen));
        pop(code, inputs.subList(0, chosen));
        code.loadLocal(inputs.get(chosen), local);
      }
      case WITH, COPY, TWICE -> {
        int[] locals = new int[inputs.size()];
        for (int i = inputs.size() - 1; i >= 0; i--) {
          locals[i] = store(code, inputs.get(i));
        }
        load(code, inputs, locals, first);
        code.with(call);
        if (change == Change.TWICE) {
          pop(code, List.of(result));
          load(code, inputs, locals, first);
          code.with(call);
        }
      }
      case BY ->
          code.invoke(
              call.opcode(), call.owner().asSymbol(), other, call.typeSymbol(), call.isInterface());
      case PLUS -> plus(code, call, result);
      default -> throw misfit(call);
    }
  }

  private void load(CodeBuilder code, List<TypeKind> inputs, int[] locals, int first) {
    for (int i = 0; i < locals.length; i++) {
      boolean changed = i == first + argument;
      if (changed && change == Change.WITH) {
        push(code, inputs.get(i), value);
      } else {
        int from = changed && change == Change.COPY ? first + (int) value : i;
        code.loadLocal(inputs.get(i), locals[from]);
      }
    }
  }

  private void get(CodeBuilder code, FieldInstruction field) {
    TypeKind type = TypeKind.from(field.typeSymbol());
    if (change == Change.BECOMES) {
      if (field.opcode() == Opcode.GETFIELD) {
        code.pop();
      }
      push(code, type, value);
    } else {
      plus(code, field, type);
    }
  }

  private void set(CodeBuilder code, FieldInstruction field) {
    TypeKind type = TypeKind.from(field.typeSymbol());
    switch (change) {
      case PLUS -> {
        push(code, type, value);
        add(code, type);
        code.with(field);
      }
      case BECOMES -> {
        pop(code, List.of(type));
        push(code, type, value);
        code.with(field);
      }
      case SKIPPED -> {
        pop(code, List.of(type));
        if (field.opcode() == Opcode.PUTFIELD) {
          code.pop();
        }
      }
      default -> throw misfit(field);
    }
  }

  private void operator(CodeBuilder code, OperatorInstruction operator) {
    String name = operator.opcode().name();
    TypeKind type = operator.typeKind();
    TypeKind right = name.contains("SH") ? TypeKind.INT : type;
    switch (change) {
      case BY -> code.with(OperatorInstruction.of(Opcode.valueOf(other)));
      case PASSES -> pop(code, List.of(right));
      case PLUS -> plus(code, operator, type);
      default -> throw misfit(operator);
    }
  }

  private void branch(CodeBuilder code, BranchInstruction branch) {
    String name = branch.opcode().name();
    switch (change) {
      case NEGATED -> code.branch(inverse(branch.opcode()), branch.target());
      case BY -> code.branch(Opcode.valueOf(other), branch.target());
      case HOLDS, FAILS -> {
        code.pop();
        if (name.startsWith("IF_")) {
          code.pop();
        }
        if (change == Change.FAILS) {
          code.goto_(branch.target());
        }
      }
      default -> throw misfit(branch);
    }
  }

  private static Opcode inverse(Opcode branch) {
    return switch (branch) {
      case IFEQ -> Opcode.IFNE;
      case IFNE -> Opcode.IFEQ;
      case IFLT -> Opcode.IFGE;
      case IFGE -> Opcode.IFLT;
      case IFGT -> Opcode.IFLE;
      case IFLE -> Opcode.IFGT;
      case IFNULL -> Opcode.IFNONNULL;
      case IFNONNULL -> Opcode.IFNULL;
      case IF_ICMPEQ -> Opcode.IF_ICMPNE;
      case IF_ICMPNE -> Opcode.IF_ICMPEQ;
      case IF_ICMPLT -> Opcode.IF_ICMPGE;
      case IF_ICMPGE -> Opcode.IF_ICMPLT;
      case IF_ICMPGT -> Opcode.IF_ICMPLE;
      case IF_ICMPLE -> Opcode.IF_ICMPGT;
      case IF_ACMPEQ -> Opcode.IF_ACMPNE;
      case IF_ACMPNE -> Opcode.IF_ACMPEQ;
      default -> throw new IllegalArgumentException(branch.toString());
    };
  }

  private void plus(CodeBuilder code, CodeElement element, TypeKind type) {
    if (change != Change.PLUS) {
      throw misfit(element);
    }
    code.with(element);
    push(code, type, value);
    add(code, type);
  }

  private static void add(CodeBuilder code, TypeKind type) {
    if (type == TypeKind.LONG) {
      code.ladd();
    } else {
      code.iadd();
    }
  }

  private static int store(CodeBuilder code, TypeKind type) {
    int local = code.allocateLocal(type);
    code.storeLocal(type, local);
    return local;
  }

  private static void pop(CodeBuilder code, List<TypeKind> kinds) {
    for (TypeKind kind : kinds.reversed()) {
      if (kind.slotSize() == 2) {
        code.pop2();
      } else if (kind != VOID) {
        code.pop();
      }
    }
  }

  private static void push(CodeBuilder code, TypeKind kind, long value) {
    switch (kind) {
      case VOID -> {}
      case REFERENCE -> code.aconst_null();
      case LONG -> code.loadConstant(value);
      case DOUBLE -> code.loadConstant((double) value);
      case FLOAT -> code.loadConstant((float) value);
      default -> code.loadConstant((int) value);
    }
  }
}
