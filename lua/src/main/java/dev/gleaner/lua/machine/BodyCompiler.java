package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link Body} of a function: each instruction becomes a call of {@link Steps}, so there is
 * nothing to decode, and the JVM's compiler sees which slots are meant.
 *
 * <p>All that a function has is in its frame, so it can be left at any instruction, and the
 * interpreter goes on: that is how all is done that is rare. It is entered at its first
 * instruction, at heads of cycles, and behind calls that are in no cycle; more would be cycles of
 * two entries, which the JVM's compiler does not optimize.
 *
 * <p>Instructions are charged by blocks. A block ends behind what may call or fail, so that the
 * count is exact there; where the interpreter is to go on, what was not done is given back.
 */
final class BodyCompiler {
  /** A method of more bytes is never compiled by the JVM. */
  private static final int MOST_BYTES = 8000;

  /** Of these there are at most 16,000 in a method that is not too large. */
  private static final int MOST_WORDS = 2000;

  private static final ClassDesc BODY = desc(Body.class);
  private static final ClassDesc STEPS = desc(Steps.class);
  private static final ClassDesc CODE = desc(Code.class);
  private static final ClassDesc NAME = desc(GlobalRef.class);
  private static final ClassDesc ME = ClassDesc.of(Body.class.getPackageName(), "HotFunction");
  private static final int STEPS_LOCAL = 1;
  private static final int CODE_LOCAL = 2;
  private static final int PC_LOCAL = 3;
  private static final int RET_LOCAL = 4;
  private static final int DIRECT_LOCAL = 6;
  private static final int NAMES_LOCAL = 7;
  private static final int RESULT_LOCAL = 8;

  private BodyCompiler() {}

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Makes the body of a function; null if it is too large to have one. */
  static @Nullable Body compile(Code function) {
    if (function.code.length > MOST_WORDS) {
      return null;
    }
    Writer writer = new Writer(function);
    byte[] bytes = writer.write();
    if (size(bytes) > MOST_BYTES) {
      return null;
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup().defineHiddenClass(bytes, false);
      MethodType plain = MethodType.methodType(void.class);
      Body body = (Body) lookup.findConstructor(lookup.lookupClass(), plain).invoke();
      body.entries = writer.entries;
      return body;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** How many bytes the method has that runs the function. */
  private static int size(byte[] bytes) {
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      if (method.methodName().equalsString("run")) {
        return method.findAttribute(Attributes.code()).orElseThrow().codeLength();
      }
    }
    throw new IllegalStateException("no method run");
  }

  /** Where the interpreter goes on, and instructions that were charged and not done. */
  private record Exit(Label label, int pc, int notDone) {}

  /** What writes one of them. */
  private static final class Writer {
    private final Code function;
    private final int[] code;
    private final boolean[] entries;
    private final boolean[] leaders;
    private final Label[] labels;
    private final List<Exit> exits = new ArrayList<>();
    private CodeBuilder out;

    /** Instructions of the block, and those of them that are written. */
    private int charged;

    private int done;

    @SuppressWarnings("NullAway.Init") // write comes first
    Writer(Code function) {
      this.function = function;
      this.code = function.code;
      this.entries = new boolean[code.length + 1];
      this.leaders = new boolean[code.length + 1];
      this.labels = new Label[code.length + 1];
    }

    byte[] write() {
      findBlocks();
      return ClassFile.of()
          .build(
              ME,
              c -> {
                c.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER).withSuperclass(BODY);
                c.withMethodBody(
                    ConstantDescs.INIT_NAME,
                    ConstantDescs.MTD_void,
                    0,
                    b ->
                        b.aload(0)
                            .invokespecial(BODY, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
                c.withMethodBody(
                    "run",
                    MethodTypeDesc.of(
                        ConstantDescs.CD_int,
                        STEPS,
                        CODE,
                        ConstantDescs.CD_int,
                        ConstantDescs.CD_long,
                        ConstantDescs.CD_boolean),
                    0,
                    this::writeRun);
              });
    }

    // ---- blocks ----

    /** Whether an instruction may call, fail, or charge by itself. */
    private static boolean mayCall(int op) {
      return switch (op) {
        case Op.LOAD_LONG,
            Op.BOX,
            Op.GET_GLOBAL,
            Op.SET_GLOBAL,
            Op.GET_TABLE,
            Op.GET_FIELD,
            Op.GET_INT,
            Op.SET_TABLE,
            Op.SET_FIELD,
            Op.SET_INT,
            Op.NEW_TABLE,
            Op.SET_LIST,
            Op.SELF,
            Op.BNOT,
            Op.LENGTH,
            Op.CONCAT,
            Op.CALL,
            Op.TAIL_CALL,
            Op.RETURN,
            Op.TFOR_CALL,
            Op.VARARG,
            Op.CLOSURE,
            Op.TBC,
            Op.CLOSE ->
            true;
        default -> false;
      };
    }

    private void findBlocks() {
      entries[0] = true;
      leaders[0] = true;
      int[] depth = new int[code.length + 1];
      for (int pc = 0; pc < code.length; pc += Names.width(code[pc] & 255)) {
        int op = code[pc] & 255;
        int next = pc + Names.width(op);
        if (Op.jumps(op)) {
          int to = code[pc + 1];
          leaders[to] = true;
          leaders[next] = true;
          if (to <= pc) {
            entries[to] = true;
            for (int i = to; i <= pc; i++) {
              depth[i]++;
            }
          }
        } else if (mayCall(op)) {
          leaders[next] = true;
        }
      }
      for (int pc = 0; pc < code.length; pc += Names.width(code[pc] & 255)) {
        if ((code[pc] & 255) == Op.CALL && depth[pc] == 0) {
          entries[pc + 1] = true;
        }
      }
    }

    private int blockLength(int from) {
      int n = 0;
      int pc = from;
      do {
        n++;
        pc += Names.width(code[pc] & 255);
      } while (pc < code.length && !leaders[pc]);
      return n;
    }

    // ---- code ----

    private void writeRun(CodeBuilder b) {
      out = b;
      for (int pc = 0; pc <= code.length; pc++) {
        labels[pc] = b.newLabel();
      }
      b.aload(CODE_LOCAL).getfield(CODE, "strings", NAME.arrayType()).astore(NAMES_LOCAL);
      List<SwitchCase> cases = new ArrayList<>();
      for (int pc = 1; pc < code.length; pc++) {
        if (entries[pc]) {
          cases.add(SwitchCase.of(pc, labels[pc]));
        }
      }
      if (!cases.isEmpty()) {
        b.iload(PC_LOCAL).lookupswitch(labels[0], cases);
      }
      for (int pc = 0; pc < code.length; pc += Names.width(code[pc] & 255)) {
        b.labelBinding(labels[pc]);
        if (leaders[pc]) {
          charged = blockLength(pc);
          done = charged; // nothing to give back before it is charged
          begin().integer(charged).invoke("charge", "(I)Z");
          b.ifeq(interpreted(pc));
          done = 0;
        }
        instruction(pc);
        done++;
      }
      b.labelBinding(labels[code.length]);
      done = charged;
      b.goto_(interpreted(code.length)); // never reached: a function ends with a return
      writeExits(b);
    }

    private void writeExits(CodeBuilder b) {
      Label common = b.newLabel();
      for (Exit exit : exits) {
        b.labelBinding(exit.label).loadConstant(exit.pc).loadConstant(exit.notDone).goto_(common);
      }
      b.labelBinding(common).istore(PC_LOCAL).istore(RESULT_LOCAL);
      begin();
      b.iload(RESULT_LOCAL).iload(PC_LOCAL);
      invoke("interpret", "(II)I");
      b.ireturn();
    }

    /** Where an instruction goes that the interpreter is to do. */
    private Label interpreted(int pc) {
      Exit exit = new Exit(out.newLabel(), pc, charged - done);
      exits.add(exit);
      return exit.label;
    }

    private Writer begin() {
      out.aload(STEPS_LOCAL);
      return this;
    }

    private Writer integer(int... values) {
      for (int v : values) {
        out.loadConstant(v);
      }
      return this;
    }

    private Writer word(long value) {
      out.loadConstant(value);
      return this;
    }

    private Writer name(int index) {
      out.aload(NAMES_LOCAL).loadConstant(index).aaload();
      return this;
    }

    private Writer function() {
      out.aload(CODE_LOCAL);
      return this;
    }

    private Writer returns() {
      out.lload(RET_LOCAL);
      return this;
    }

    private void invoke(String name, String descriptor) {
      String full = descriptor.replace("N", "L" + path(GlobalRef.class) + ";");
      full = full.replace("F", "L" + path(Code.class) + ";");
      out.invokevirtual(STEPS, name, MethodTypeDesc.ofDescriptor(full));
    }

    private static String path(Class<?> type) {
      return type.getName().replace('.', '/');
    }

    /** A step that answers whether it did the instruction. */
    private void tried(int pc, String name, String descriptor) {
      invoke(name, descriptor + "Z");
      out.ifeq(interpreted(pc));
    }

    /** A step that answers whether the frame is still this function's. */
    private void changing(String name, String descriptor) {
      invoke(name, descriptor + "Z");
      Label goesOn = out.newLabel();
      out.ifne(goesOn).loadConstant(Body.CHANGED).ireturn().labelBinding(goesOn);
    }

    /** A step that answers 0 or 1, or less where the interpreter is to decide. */
    private void decided(int pc, String name, String descriptor, boolean jumpsIf, int to) {
      invoke(name, descriptor + "I");
      out.dup().istore(RESULT_LOCAL).iflt(interpreted(pc)).iload(RESULT_LOCAL);
      jump(jumpsIf, to);
    }

    private void jump(boolean jumpsIf, int to) {
      if (jumpsIf) {
        out.ifne(labels[to]);
      } else {
        out.ifeq(labels[to]);
      }
    }

    private void instruction(int pc) {
      int i = code[pc];
      int op = i & 255;
      int a = i >>> 8 & 255;
      int b = i >>> 16 & 255;
      int c = i >>> 24;
      int x = function.frameSize - 1;
      int second = pc + 1 < code.length ? code[pc + 1] : 0;
      switch (op) {
        case Op.MOVE -> begin().integer(a, b).invoke("move", "(II)V");
        case Op.LOAD_NIL -> begin().integer(a, b).invoke("nils", "(II)V");
        case Op.LOAD_BOOLEAN -> begin().integer(a).word(Values.ofBoolean(b != 0)).load();
        case Op.LOAD_INT -> begin().integer(a).word(Values.ofInt(i >> 16)).load();
        case Op.LOAD_NUMBER -> begin().integer(a).word(function.numbers[second]).load();
        case Op.LOAD_STRING -> begin().integer(a).name(second).invoke("string", "(IN)V");
        case Op.BOX -> begin().integer(a, x, pc + 1).invoke("box", "(III)V");
        case Op.GET_BOX -> begin().integer(a, b).invoke("getBox", "(II)V");
        case Op.SET_BOX -> begin().integer(a, b).invoke("setBox", "(II)V");
        case Op.GET_UPVALUE -> begin().integer(a, b + 1).invoke("upvalue", "(II)V");
        case Op.GET_UPVALUE_BOX -> begin().integer(a, b + 1).invoke("boxedUpvalue", "(II)V");
        case Op.SET_UPVALUE_BOX -> begin().integer(a, b + 1, x).invoke("setUpvalue", "(III)V");
        case Op.GET_GLOBAL ->
            begin().integer(a, b + 1, x).name(second).integer(pc + 2).changing("global", "(IIINI)");
        case Op.SET_GLOBAL ->
            begin()
                .integer(a, b + 1, x)
                .name(second)
                .integer(pc + 2)
                .changing("setGlobal", "(IIINI)");
        case Op.GET_TABLE -> begin().integer(a, b, c, pc + 1).changing("get", "(IIII)");
        case Op.GET_FIELD ->
            begin().integer(a, b).name(second).integer(pc + 2).changing("field", "(IINI)");
        case Op.GET_INT -> begin().integer(a, b, c, x, pc + 1).changing("getInt", "(IIIII)");
        case Op.SET_TABLE -> begin().integer(a, b, c, pc + 1).changing("set", "(IIII)");
        case Op.SET_FIELD ->
            begin().integer(a).name(second).integer(b, pc + 2).changing("setField", "(INII)");
        case Op.SET_INT -> begin().integer(a, b, c, x, pc + 1).changing("setInt", "(IIIII)");
        case Op.NEW_TABLE -> begin().integer(a, pc + 1).invoke("table", "(II)V");
        case Op.SET_LIST ->
            begin().function().integer(a, b, c, second, pc + 1).invoke("list", "(FIIIII)V");
        case Op.SELF ->
            begin().integer(a, b).name(second).integer(pc + 2).changing("self", "(IINI)");
        case Op.ADD -> begin().integer(a, b, c).tried(pc, "add", "(III)");
        case Op.SUB -> begin().integer(a, b, c).tried(pc, "sub", "(III)");
        case Op.MUL -> begin().integer(a, b, c).tried(pc, "mul", "(III)");
        case Op.DIV -> begin().integer(a, b, c).tried(pc, "div", "(III)");
        case Op.MOD -> begin().integer(a, b, c).tried(pc, "mod", "(III)");
        case Op.POW, Op.IDIV, Op.BAND, Op.BOR, Op.BXOR, Op.SHL, Op.SHR ->
            begin().integer(op, a, b, c).tried(pc, "other", "(IIII)");
        case Op.ADD_NUMBER -> withNumber(pc, a, b, c, "addNumber");
        case Op.SUB_NUMBER -> withNumber(pc, a, b, c, "subNumber");
        case Op.MUL_NUMBER -> withNumber(pc, a, b, c, "mulNumber");
        case Op.DIV_NUMBER -> withNumber(pc, a, b, c, "divNumber");
        case Op.MOD_NUMBER -> withNumber(pc, a, b, c, "modNumber");
        case Op.POW_NUMBER, Op.IDIV_NUMBER ->
            begin()
                .integer(op - Op.ADD_NUMBER + Op.ADD, a, b)
                .word(function.numbers[c])
                .tried(pc, "otherNumber", "(IIIJ)");
        case Op.NEGATE -> begin().integer(a, b).tried(pc, "negate", "(II)");
        case Op.NOT -> begin().integer(a, b).invoke("not", "(II)V");
        case Op.BNOT, Op.LENGTH -> begin().integer(op, a, b, pc + 1).changing("unary", "(IIII)");
        case Op.CONCAT -> begin().integer(a, b, pc + 1).changing("concat", "(III)");
        case Op.JUMP -> out.goto_(labels[second]);
        case Op.TEST -> {
          begin().integer(a).invoke("isTrue", "(I)Z");
          jump(c != 0, second);
        }
        case Op.EQ -> begin().integer(a, b).decided(pc, "equal", "(II)", c != 0, second);
        case Op.LT -> begin().integer(a, b).decided(pc, "less", "(II)", c != 0, second);
        case Op.LE -> begin().integer(a, b).decided(pc, "lessOrEqual", "(II)", c != 0, second);
        case Op.EQ_NUMBER ->
            begin()
                .integer(a)
                .word(function.numbers[b])
                .decided(pc, "equalNumber", "(IJ)", c != 0, second);
        case Op.LT_NUMBER, Op.LE_NUMBER, Op.GT_NUMBER, Op.GE_NUMBER ->
            begin()
                .integer(op, a)
                .word(function.numbers[b])
                .decided(pc, "test", "(IIJ)", c != 0, second);
        case Op.EQ_STRING -> {
          begin().integer(a).name(code[pc + 2]).integer(x).invoke("equalString", "(INI)Z");
          jump(c != 0, second);
        }
        case Op.EQ_NIL -> {
          begin().integer(a).invoke("isNil", "(I)Z");
          jump(c != 0, second);
        }
        case Op.CALL -> {
          begin().function().integer(a, b, c, pc + 1).returns().invoke("call", "(FIIIIJ)I");
          Label goesOn = out.newLabel();
          out.dup().istore(RESULT_LOCAL).ifeq(goesOn); // RETURNED
          out.iload(RESULT_LOCAL).ireturn().labelBinding(goesOn);
        }
        case Op.TAIL_CALL -> {
          begin().integer(a, b, pc + 1).returns().invoke("tailCall", "(IIIJ)I");
          out.ireturn();
        }
        case Op.RETURN -> {
          if (c == 0) {
            begin().integer(a, b, pc + 1).returns();
            out.iload(DIRECT_LOCAL);
            invoke("leave", "(IIIJZ)I");
            out.ireturn();
          } else {
            out.goto_(interpreted(pc));
          }
        }
        case Op.FOR_PREPARE -> begin().integer(a).decided(pc, "forPrepare", "(I)", false, second);
        case Op.FOR_LOOP -> begin().integer(a).decided(pc, "forLoop", "(I)", true, second);
        case Op.TFOR_PREPARE -> {
          begin().integer(a + 3).invoke("isNil", "(I)Z");
          out.ifeq(interpreted(pc)).goto_(labels[second]);
        }
        case Op.TFOR_CALL -> begin().integer(a, b, pc + 1).tried(pc, "next", "(III)");
        case Op.TFOR_LOOP -> {
          begin().integer(a).invoke("goesOn", "(I)Z");
          jump(true, second);
        }
        case Op.VARARG -> begin().function().integer(a, b - 1, pc + 1).invoke("varargs", "(FIII)V");
        case Op.CLOSURE ->
            begin().function().integer(a, second, pc + 1).invoke("closure", "(FIII)V");
        default -> out.goto_(interpreted(pc)); // LOAD_LONG, TBC, CLOSE
      }
    }

    private void load() {
      invoke("value", "(IJ)V");
    }

    private void withNumber(int pc, int a, int b, int c, String name) {
      begin().integer(a, b).word(function.numbers[c]).tried(pc, name, "(IIJ)");
    }
  }
}
