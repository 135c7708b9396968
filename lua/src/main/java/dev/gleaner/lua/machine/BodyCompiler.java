package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Op;
import dev.gleaner.lua.machine.Registers.Holding;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a function to a {@link CompiledBody}. Each instruction becomes a call of {@link Steps}.
 * So no instruction is decoded, and the JVM's compiler knows the slots as constants.
 *
 * <p>The frame holds the whole state of a function. So a body can stop at any instruction, and the
 * interpreter continues there: rare cases are left to the interpreter. A body can start at the
 * first instruction, at heads of loops, and behind calls. The JVM's compiler does not optimize a
 * loop with two entries. So an entry behind a call in a loop leads to the head of the loop, which
 * passes the control on.
 *
 * <p>Fuel is charged by blocks. A block ends behind an instruction that may call or fail, so that
 * the count is exact there. An exit to the interpreter gives back the fuel of instructions that
 * were not done.
 */
final class BodyCompiler {
  /** The most bytes of a method: the JVM never compiles a larger one. */
  private static final int MOST_BYTES = 8000;

  /** The most bytes of a method that holds registers: the JVM inlines less in a larger one. */
  private static final int MOST_BYTES_HELD = 3000;

  /** The most words of a function. {@link #NOT_DONE_BITS} bits can count as many instructions. */
  private static final int MOST_WORDS = 2000;

  /** Bits of an exit's word for instructions not done; the others are the program counter. */
  private static final int NOT_DONE_BITS = 11;

  /** Stands in place of a register: the second operand is a number constant. */
  private static final int NUMBER = -1;

  private static final ClassDesc BODY = desc(CompiledBody.class);
  private static final ClassDesc STEPS = desc(Steps.class);
  private static final ClassDesc WORDS = desc(Words.class);
  private static final ClassDesc CODE = desc(Code.class);
  private static final ClassDesc NAME = desc(GlobalRef.class);
  private static final ClassDesc ME =
      ClassDesc.of(CompiledBody.class.getPackageName(), "HotFunction");
  private static final int STEPS_LOCAL = 1;
  private static final int CODE_LOCAL = 2;
  private static final int PC_LOCAL = 3;
  private static final int RET_LOCAL = 4;
  private static final int DIRECT_LOCAL = 6;
  private static final int NAMES_LOCAL = 7;
  private static final int RESULT_LOCAL = 8;
  private static final int WORD_LOCAL = 9;
  private static final int REGISTERS_LOCAL = 11;

  private BodyCompiler() {}

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Makes the body of a function. Returns null if the function is too large. */
  static @Nullable CompiledBody compile(Code function) {
    if (function.code.length > MOST_WORDS) {
      return null;
    }
    Writer writer = new Writer(function, holdsNumbers(function) ? Holding.NUMBERS : Holding.LOOPS);
    byte[] bytes = writer.write();
    if (writer.registers.all() != 0 && size(bytes) > MOST_BYTES_HELD) {
      writer = new Writer(function, Holding.NOTHING);
      bytes = writer.write();
    }
    if (size(bytes) > MOST_BYTES) {
      return null;
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup().defineHiddenClass(bytes, false);
      MethodType plain = MethodType.methodType(void.class);
      CompiledBody body =
          (CompiledBody) lookup.findConstructor(lookup.lookupClass(), plain).invoke();
      body.entries = writer.entries;
      body.bytes = bytes.length;
      body.holdsNumbers = writer.registers.areHeld();
      return body;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns whether a body of the function computes with numbers in Java locals. */
  static boolean holdsNumbers(Code function) {
    return !function.computesInSlots && hasCycleOfNumbers(function.code);
  }

  /**
   * Returns whether a loop computes, and neither calls nor looks into tables. Registers in Java
   * locals make such a loop faster. Elsewhere they make code larger and slower.
   */
  private static boolean hasCycleOfNumbers(int[] code) {
    for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
      if (Op.jumps(code[pc] & 255) && code[pc + 1] <= pc && isOfNumbers(code, code[pc + 1], pc)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfNumbers(int[] code, int from, int to) {
    boolean computes = false;
    for (int pc = from; pc <= to; pc += Op.width(code[pc] & 255)) {
      int op = code[pc] & 255;
      if (Writer.mayCall(op) || Writer.looksUp(op)) {
        return false;
      }
      computes |= op >= Op.ADD && op <= Op.NEGATE;
    }
    return computes;
  }

  /** Returns the number of bytes of the method that runs the function. */
  private static int size(byte[] bytes) {
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      if (method.methodName().equalsString("run")) {
        return method.findAttribute(Attributes.code()).orElseThrow().codeLength();
      }
    }
    throw new IllegalStateException("no method run");
  }

  /**
   * An exit to the interpreter: the next instruction, the instructions that were charged and not
   * done, and the registers whose slots must be written.
   */
  private record Exit(Label label, int pc, int notDone, long dirty) {}

  /** Writes one body. */
  private static final class Writer {
    private final Code function;
    private final int[] code;
    private final boolean[] entries;
    private final boolean[] leaders;

    /** The last jump back to each head of a loop; -1 elsewhere. */
    private final int[] lastJumps;

    /** The head of the innermost loop around each entry behind a call; -1 for others. */
    private final int[] heads;

    private final Label[] labels;
    private final Registers registers;
    private final List<Exit> exits = new ArrayList<>();

    /** The parts that run rarely, written behind the rest. */
    private final List<Runnable> later = new ArrayList<>();

    private CodeBuilder out;

    /** The registers that are held at the instruction, and the part whose slots are older. */
    private long held;

    private long dirty;

    /** The instructions of the block, and the part that is written. */
    private int charged;

    private int done;

    @SuppressWarnings("NullAway.Init") // write comes first
    Writer(Code function, Holding holding) {
      this.function = function;
      this.code = function.code;
      this.registers = new Registers(function.code, holding);
      this.entries = new boolean[code.length + 1];
      this.leaders = new boolean[code.length + 1];
      this.lastJumps = new int[code.length + 1];
      Arrays.fill(lastJumps, -1);
      this.heads = new int[code.length + 1];
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

    /**
     * Returns whether an instruction may call, fail, or charge fuel by itself. An instruction on a
     * table does so only on the slow path. The slow path gives back the fuel of the instructions
     * behind.
     */
    private static boolean mayCall(int op) {
      return switch (op) {
        case Op.LOAD_LONG,
            Op.BOX,
            Op.SET_TABLE,
            Op.SET_INT,
            Op.NEW_TABLE,
            Op.SET_LIST,
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

    /** Returns whether an instruction looks into a table, and may take the slow path. */
    private static boolean looksUp(int op) {
      return switch (op) {
        case Op.GET_GLOBAL,
            Op.SET_GLOBAL,
            Op.GET_TABLE,
            Op.GET_FIELD,
            Op.SET_FIELD,
            Op.GET_INT,
            Op.SELF ->
            true;
        default -> false;
      };
    }

    private void findBlocks() {
      entries[0] = true;
      leaders[0] = true;
      for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
        int op = code[pc] & 255;
        int next = pc + Op.width(op);
        if (Op.jumps(op)) {
          int to = code[pc + 1];
          leaders[to] = true;
          leaders[next] = true;
          if (to <= pc) {
            entries[to] = true;
            lastJumps[to] = pc;
          }
        } else if (mayCall(op)) {
          leaders[next] = true;
          entries[next] |= op == Op.CALL || op == Op.TFOR_CALL;
        }
      }
      for (int pc = 0; pc <= code.length; pc++) {
        entries[pc] &= registers.isReached(pc);
        heads[pc] = entries[pc] && lastJumps[pc] < 0 ? headOf(pc) : -1;
      }
    }

    private int blockLength(int from) {
      int n = 0;
      int pc = from;
      do {
        n++;
        pc += Op.width(code[pc] & 255);
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
      each(registers.all(), r -> b.lconst_0().lstore(local(r)));
      writeEntries(b);
      boolean goesOn = true;
      for (int pc = 0; pc < code.length; pc += Op.width(code[pc] & 255)) {
        if (!registers.isReached(pc)) {
          goesOn = false;
          continue;
        }
        if (registers.joins(pc)) {
          if (goesOn) {
            write(dirty & ~registers.late(pc));
          }
          held = registers.joined(pc);
          dirty = registers.late(pc);
        }
        b.labelBinding(labels[pc]);
        passOn(pc);
        if (leaders[pc]) {
          charged = blockLength(pc);
          done = charged; // nothing to give back before the charge
          if (function.inlines) {
            begin().integer(charged).invoke("charge", "(I)Z");
          } else {
            boolean begins = pc == 0 || lastJumps[pc] >= 0;
            String name = begins ? "chargeTurn" : "chargeFirst";
            begin().function().integer(charged).invoke(name, "(FI)Z");
          }
          b.ifeq(interpreted(pc));
          done = 0;
        }
        write(dirty & registers.inFrame(pc, held));
        long after = registers.after(pc, held);
        instruction(pc);
        held = after;
        dirty &= held;
        done++;
        int op = code[pc] & 255;
        goesOn = op != Op.JUMP && op != Op.RETURN && op != Op.TAIL_CALL;
      }
      b.labelBinding(labels[code.length]);
      done = charged;
      b.goto_(interpreted(code.length)); // never reached: a function ends with a return
      for (int i = 0; i < later.size(); i++) {
        later.get(i).run();
      }
      writeExits(b);
    }

    private void writeEntries(CodeBuilder b) {
      List<SwitchCase> cases = new ArrayList<>();
      for (int pc = 1; pc < code.length; pc++) {
        if (entries[pc]) {
          cases.add(SwitchCase.of(pc, entry(pc)));
        }
      }
      if (!cases.isEmpty()) {
        b.iload(PC_LOCAL).lookupswitch(labels[0], cases);
      }
    }

    /** Makes an entry that loads held registers, or exits if one holds a reference now. */
    private Label entry(int pc) {
      Label label = out.newLabel();
      later.add(() -> {
        out.labelBinding(label);
        dirty = 0;
        long loaded = registers.heldAt(pc);
        if (loaded != 0) {
          begin().word(loaded).invoke("holdNoReference", "(J)Z");
          out.ifeq(interpreted(pc));
        }
        each(
            loaded,
            r -> {
              begin().integer(r).invoke("get", "(I)J");
              out.lstore(local(r));
            });
        if (heads[pc] < 0) {
          out.iconst_0().istore(PC_LOCAL);
        }
        out.goto_(labels[heads[pc] < 0 ? pc : heads[pc]]);
      });
      return label;
    }

    private int headOf(int entry) {
      int head = entry - 1;
      while (head >= 0 && lastJumps[head] < entry) {
        head--;
      }
      return head;
    }

    /** Passes the control on from the head of a loop to an entry in the loop. */
    private void passOn(int head) {
      List<SwitchCase> cases = new ArrayList<>();
      for (int pc = head + 1; pc <= lastJumps[head]; pc++) {
        if (heads[pc] == head) {
          cases.add(SwitchCase.of(pc, labels[pc]));
        }
      }
      if (cases.isEmpty()) {
        return;
      }
      Label passes = out.newLabel();
      out.iload(PC_LOCAL).ifne(passes);
      later.add(() -> {
        out.labelBinding(passes).iload(PC_LOCAL).iconst_0().istore(PC_LOCAL);
        out.lookupswitch(labels[head], cases);
      });
    }

    private void writeExits(CodeBuilder b) {
      Map<Long, Label> ways = new LinkedHashMap<>();
      for (Exit exit : exits) {
        b.labelBinding(exit.label).loadConstant(exit.pc << NOT_DONE_BITS | exit.notDone);
        b.goto_(ways.computeIfAbsent(exit.dirty, m -> b.newLabel()));
      }
      Label writes = b.newLabel();
      Label leaves = b.newLabel();
      ways.forEach((m, way) -> b.labelBinding(way).loadConstant(m).goto_(m == 0 ? leaves : writes));
      b.labelBinding(writes).dup2().lstore(WORD_LOCAL);
      each(
          ways.keySet().stream().reduce(0L, (x, y) -> x | y),
          r -> {
            Label next = b.newLabel();
            b.lload(WORD_LOCAL).loadConstant(registers.one(r)).land().lconst_0().lcmp();
            b.ifeq(next);
            writeSlot(r);
            b.labelBinding(next);
          });
      b.labelBinding(leaves).pop2().istore(RESULT_LOCAL);
      begin();
      b.iload(RESULT_LOCAL).loadConstant(NOT_DONE_BITS).iushr();
      b.iload(RESULT_LOCAL).loadConstant((1 << NOT_DONE_BITS) - 1).iand();
      invoke("interpret", "(II)I");
      b.ireturn();
    }

    /** Returns the exit at which the interpreter does an instruction. */
    private Label interpreted(int pc) {
      Exit exit = new Exit(out.newLabel(), pc, charged - done, dirty);
      exits.add(exit);
      return exit.label;
    }

    // ---- registers ----

    private static void each(long mask, IntConsumer action) {
      for (long m = mask; m != 0; m &= m - 1) {
        action.accept(Long.numberOfTrailingZeros(m));
      }
    }

    private int local(int register) {
      return REGISTERS_LOCAL + 2 * Long.bitCount(registers.all() & registers.below(register));
    }

    private boolean isHeld(int register) {
      return (held & registers.one(register)) != 0;
    }

    private void writeSlot(int register) {
      begin().integer(register);
      out.lload(local(register));
      invoke("value", "(IJ)V");
    }

    /** Writes the slots of dirty registers. */
    private void write(long mask) {
      each(mask, this::writeSlot);
      dirty &= ~mask;
    }

    /** Loads a register for a computation. */
    private Writer number(int register) {
      return registers.areHeld() ? load(register) : value(register);
    }

    /** Loads a register that is held from now on. */
    private Writer load(int register) {
      if (isHeld(register)) {
        out.lload(local(register));
        return this;
      }
      begin().integer(register).invoke("get", "(I)J");
      if (registers.one(register) != 0) {
        out.dup2().lstore(local(register));
        held |= registers.one(register);
      }
      return this;
    }

    /** Puts a word that is no reference into a register. */
    private void define(int register) {
      if (registers.areHeld()) {
        hold(register);
      } else {
        writeWord(register);
      }
    }

    /** Writes the word on the stack to a slot. */
    private void writeWord(int register) {
      out.lstore(WORD_LOCAL);
      begin().integer(register);
      out.lload(WORD_LOCAL);
      invoke("value", "(IJ)V");
    }

    /**
     * Puts a word that is no reference into a register, which is held from now on. If the slot
     * holds no reference either, the write to the slot can wait.
     */
    private void hold(int register) {
      long one = registers.one(register);
      if (one == 0) {
        writeWord(register);
        return;
      }
      out.lstore(local(register));
      if ((held & one) == 0) {
        writeSlot(register);
        held |= one;
      } else {
        dirty |= one;
      }
    }

    private Writer words(String name, String descriptor) {
      out.invokestatic(WORDS, name, MethodTypeDesc.ofDescriptor(descriptor));
      return this;
    }

    /** Puts the result of a computation into a register, or exits to the interpreter. */
    private void computed(int pc, int a) {
      out.dup2().lstore(WORD_LOCAL);
      out.invokestatic(WORDS, "isAbsent", MethodTypeDesc.ofDescriptor("(J)Z"));
      out.ifne(interpreted(pc)).lload(WORD_LOCAL);
      define(a);
    }

    /** Returns a jump's target. Slots of registers that are not held there are written first. */
    private Label to(int pc) {
      long written = dirty & ~registers.late(pc);
      if (written == 0) {
        return labels[pc];
      }
      Label way = out.newLabel();
      later.add(() -> {
        out.labelBinding(way);
        each(written, this::writeSlot);
        out.goto_(labels[pc]);
      });
      return way;
    }

    // ---- parts of instructions ----

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
      StepCalls.write(out, name, MethodTypeDesc.ofDescriptor(full), function.inlines);
    }

    private static String path(Class<?> type) {
      return type.getName().replace('.', '/');
    }

    /** Writes a step that returns whether the step did the instruction. */
    private void tried(int pc, String name, String descriptor) {
      invoke(name, descriptor + "Z");
      out.ifeq(interpreted(pc));
    }

    /** Writes a step that computes in slots, and behind it the general step for other operands. */
    private void tried(int pc, String name, String descriptor, int op, int c) {
      invoke(name, descriptor + "Z");
      int i = code[pc];
      int behind = behind();
      Label slowly = out.newLabel();
      Label goesOn = out.newLabel();
      long written = dirty;
      out.ifeq(slowly).labelBinding(goesOn);
      later.add(() -> {
        out.labelBinding(slowly);
        each(written, this::writeSlot);
        int y = operand(c, i >>> 24);
        begin().integer(op, i >>> 8 & 255, i >>> 16 & 255, y, pc + 1, behind);
        invoke("arithmetic", "(IIIIII)Z");
        out.ifne(goesOn).loadConstant(CompiledBody.CHANGED).ireturn();
      });
    }

    /** Returns the slot of an operand; puts a number constant into the function's last slot. */
    private int operand(int register, int number) {
      if (register != NUMBER) {
        return register;
      }
      int x = function.frameSize - 1;
      begin().integer(x).word(function.numbers[number]).invoke("value", "(IJ)V");
      return x;
    }

    /** Writes a step that returns whether the frame is still this function's. */
    private void changing(String name, String descriptor) {
      invoke(name, descriptor + "Z");
      Label goesOn = out.newLabel();
      out.ifne(goesOn).loadConstant(CompiledBody.CHANGED).ireturn().labelBinding(goesOn);
    }

    /** Goes on if a call has returned; else returns what the call returned. */
    private void returned(Label goesOn) {
      out.dup().istore(RESULT_LOCAL).ifeq(goesOn); // RETURNED
      out.iload(RESULT_LOCAL).ireturn().labelBinding(goesOn);
    }

    /** Returns the number of charged instructions behind this one. */
    private int behind() {
      return charged - done - 1;
    }

    /** Writes a step on a table. Dirty slots are written only if the quick step fails. */
    private void element(String name, int a, int b, int c, int pc) {
      int behind = behind();
      if (dirty == 0) {
        begin().integer(a, b, c, pc, behind).changing(name, "(IIIII)");
        return;
      }
      begin().integer(a, b, c, pc).invoke(name + "Quickly", "(IIII)Z");
      Label slowly = out.newLabel();
      Label goesOn = out.newLabel();
      long written = dirty;
      out.ifeq(slowly).labelBinding(goesOn);
      later.add(() -> {
        out.labelBinding(slowly);
        each(written, this::writeSlot);
        begin().integer(a, b, c, pc, behind).invoke(name + "Slowly", "(IIIII)Z");
        out.ifne(goesOn).loadConstant(CompiledBody.CHANGED).ireturn();
      });
    }

    /**
     * Writes a jump by the result of a comparison in slots, and behind it the general step for
     * other operands.
     */
    private void compared(int pc, int op, int a, int b, boolean jumpsIf, int to) {
      Label slowly = out.newLabel();
      Label goesOn = out.newLabel();
      long written = dirty;
      out.dup().istore(RESULT_LOCAL).iflt(slowly).labelBinding(goesOn).iload(RESULT_LOCAL);
      later.add(() -> {
        out.labelBinding(slowly);
        each(written, this::writeSlot);
        int number = code[pc] >>> 16 & 255;
        int x = operand(a, number);
        int y = operand(b, number);
        begin().integer(op, x, y, pc + 1).invoke("compare", "(IIII)I");
        out.dup().istore(RESULT_LOCAL).ifge(goesOn).loadConstant(CompiledBody.CHANGED).ireturn();
      });
      jump(jumpsIf, to);
    }

    /** Writes a jump by a result of 0 or 1. A negative result exits to the interpreter. */
    private void decided(int pc, boolean jumpsIf, int to) {
      out.dup().istore(RESULT_LOCAL).iflt(interpreted(pc)).iload(RESULT_LOCAL);
      jump(jumpsIf, to);
    }

    private void jump(boolean jumpsIf, int to) {
      if (jumpsIf) {
        out.ifne(to(to));
      } else {
        out.ifeq(to(to));
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
        case Op.MOVE -> {
          if (isHeld(b)) {
            number(b).define(a);
          } else {
            begin().integer(a, b).invoke("move", "(II)V");
          }
        }
        case Op.LOAD_NIL -> {
          for (int r = a; r < a + b; r++) {
            constant(r, Values.UNDEFINED);
          }
        }
        case Op.LOAD_BOOLEAN -> constant(a, Values.ofBoolean(b != 0));
        case Op.LOAD_INT -> constant(a, Values.ofInt(i >> 16));
        case Op.LOAD_NUMBER -> constant(a, function.numbers[second]);
        case Op.LOAD_LONG -> {
          long value = (long) second << 32 | (code[pc + 2] & 0xFFFF_FFFFL);
          begin().integer(a).word(value).integer(pc + 3).invoke("integer", "(IJI)V");
        }
        case Op.LOAD_STRING -> begin().integer(a).name(second).invoke("string", "(IN)V");
        case Op.BOX -> begin().integer(a, x, pc + 1).invoke("box", "(III)V");
        case Op.GET_BOX -> begin().integer(a, b).invoke("getBox", "(II)V");
        case Op.SET_BOX -> begin().integer(a, b).invoke("setBox", "(II)V");
        case Op.GET_UPVALUE -> begin().integer(a, b + 1).invoke("upvalue", "(II)V");
        case Op.GET_UPVALUE_BOX -> begin().integer(a, b + 1).invoke("boxedUpvalue", "(II)V");
        case Op.SET_UPVALUE_BOX -> begin().integer(a, b + 1, x).invoke("setUpvalue", "(III)V");
        case Op.GET_GLOBAL ->
            begin()
                .integer(a, b + 1, x)
                .name(second)
                .integer(pc + 2, behind())
                .changing("global", "(IIINII)");
        case Op.SET_GLOBAL ->
            begin()
                .integer(a, b + 1, x)
                .name(second)
                .integer(pc + 2, behind())
                .changing("setGlobal", "(IIINII)");
        case Op.GET_TABLE -> element("get", a, b, c, pc + 1);
        case Op.GET_FIELD ->
            begin()
                .integer(a, b)
                .name(second)
                .integer(pc + 2, behind())
                .changing("field", "(IINII)");
        case Op.GET_INT ->
            begin().integer(a, b, c, x, pc + 1, behind()).changing("getInt", "(IIIIII)");
        case Op.SET_TABLE -> element("set", a, b, c, pc + 1);
        case Op.SET_FIELD ->
            begin()
                .integer(a)
                .name(second)
                .integer(b, pc + 2, behind())
                .changing("setField", "(INIII)");
        case Op.SET_INT ->
            begin().integer(a, b, c, x, pc + 1, behind()).changing("setInt", "(IIIIII)");
        case Op.NEW_TABLE -> begin().integer(a, b, second, pc + 1).invoke("table", "(IIII)V");
        case Op.SET_LIST ->
            begin().function().integer(a, b, c, second, pc + 1).invoke("list", "(FIIIII)V");
        case Op.SELF ->
            begin()
                .integer(a, b)
                .name(second)
                .integer(pc + 2, behind())
                .changing("self", "(IINII)");
        case Op.ADD -> compute(pc, "add", a, b, c);
        case Op.SUB -> compute(pc, "sub", a, b, c);
        case Op.MUL -> compute(pc, "mul", a, b, c);
        case Op.DIV -> compute(pc, "div", a, b, c);
        case Op.MOD -> compute(pc, "mod", a, b, c);
        case Op.POW, Op.IDIV, Op.BAND, Op.BOR, Op.BXOR, Op.SHL, Op.SHR ->
            computeOther(pc, op, a, b, c);
        case Op.ADD_NUMBER -> withNumber(pc, a, b, c, "add");
        case Op.SUB_NUMBER -> withNumber(pc, a, b, c, "sub");
        case Op.MUL_NUMBER -> withNumber(pc, a, b, c, "mul");
        case Op.DIV_NUMBER -> withNumber(pc, a, b, c, "div");
        case Op.MOD_NUMBER -> withNumber(pc, a, b, c, "mod");
        case Op.POW_NUMBER, Op.IDIV_NUMBER ->
            otherWithNumber(pc, op - Op.ADD_NUMBER + Op.ADD, a, b, function.numbers[c]);
        case Op.NEGATE -> {
          if (registers.areHeld()) {
            number(b).words("negate", "(J)J").computed(pc, a);
          } else {
            begin().integer(a, b).tried(pc, "negate", "(II)");
          }
        }
        case Op.NOT -> value(b).words("not", "(J)J").define(a);
        case Op.BNOT, Op.LENGTH -> begin().integer(op, a, b, pc + 1).changing("unary", "(IIII)");
        case Op.CONCAT -> begin().integer(a, b, pc + 1).changing("concat", "(III)");
        case Op.JUMP -> out.goto_(to(second));
        case Op.TEST -> value(a).words("isTrue", "(J)Z").jump(c != 0, second);
        case Op.EQ -> {
          if (isHeld(a) && isHeld(b)) {
            number(a).number(b).words("equal", "(JJ)Z").jump(c != 0, second);
          } else {
            begin().integer(a, b).invoke("equal", "(II)I");
            compared(pc, op, a, b, c != 0, second);
          }
        }
        case Op.LT, Op.LE -> compare(pc, op, a, b, c != 0, second);
        case Op.EQ_NUMBER -> {
          if (isHeld(a)) {
            number(a).word(function.numbers[b]).words("equal", "(JJ)Z").jump(c != 0, second);
          } else {
            begin().integer(a).word(function.numbers[b]).invoke("equalNumber", "(IJ)I");
            decided(pc, c != 0, second);
          }
        }
        case Op.LT_NUMBER -> test(pc, a, b, true, "less", c != 0, second);
        case Op.LE_NUMBER -> test(pc, a, b, true, "lessOrEqual", c != 0, second);
        case Op.GT_NUMBER -> test(pc, a, b, false, "less", c != 0, second);
        case Op.GE_NUMBER -> test(pc, a, b, false, "lessOrEqual", c != 0, second);
        case Op.EQ_STRING -> {
          begin().integer(a).name(code[pc + 2]).integer(x).invoke("equalString", "(INI)Z");
          jump(c != 0, second);
        }
        case Op.EQ_NIL -> value(a).words("isNil", "(J)Z").jump(c != 0, second);
        case Op.CALL -> {
          begin().function().integer(a, b, c, pc + 1).returns().invoke("call", "(FIIIIJ)I");
          returned(out.newLabel());
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
        case Op.FOR_PREPARE -> prepareFor(pc, a, second);
        case Op.FOR_LOOP -> loopFor(pc, a, second);
        case Op.TFOR_PREPARE -> {
          begin().integer(a + 3).invoke("isNil", "(I)Z");
          out.ifeq(interpreted(pc)).goto_(to(second));
        }
        case Op.TFOR_CALL -> {
          begin().integer(a, b, pc + 1).invoke("next", "(III)Z");
          Label goesOn = out.newLabel();
          out.ifne(goesOn);
          begin().function().integer(a, b, pc + 1).returns().invoke("iterate", "(FIIIJ)I");
          returned(goesOn);
        }
        case Op.TFOR_LOOP -> {
          begin().integer(a).invoke("goesOn", "(I)Z");
          jump(true, second);
        }
        case Op.VARARG -> begin().function().integer(a, b - 1, pc + 1).invoke("varargs", "(FIII)V");
        case Op.CLOSURE ->
            begin().function().integer(a, second, pc + 1).invoke("closure", "(FIII)V");
        default -> out.goto_(interpreted(pc)); // TBC, CLOSE
      }
    }

    private void constant(int a, long value) {
      if (registers.areHeld()) {
        word(value).define(a);
      } else {
        begin().integer(a).word(value).invoke("value", "(IJ)V");
      }
    }

    /** Loads a register of any value. */
    private Writer value(int register) {
      if (isHeld(register)) {
        out.lload(local(register));
      } else {
        begin().integer(register).invoke("get", "(I)J");
      }
      return this;
    }

    private void compute(int pc, String name, int a, int b, int c) {
      if (registers.areHeld()) {
        number(b).number(c).words(name, "(JJ)J").computed(pc, a);
      } else {
        begin().integer(a, b, c).tried(pc, name, "(III)", code[pc] & 255, c);
      }
    }

    private void withNumber(int pc, int a, int b, int c, String name) {
      if (registers.areHeld()) {
        number(b).word(function.numbers[c]).words(name, "(JJ)J").computed(pc, a);
      } else {
        int op = (code[pc] & 255) - Op.ADD_NUMBER + Op.ADD;
        begin().integer(a, b).word(function.numbers[c]).tried(pc, name, "(IIJ)", op, NUMBER);
      }
    }

    private void computeOther(int pc, int op, int a, int b, int c) {
      if (registers.areHeld()) {
        number(b).number(c).integer(op).words("other", "(JJI)J").computed(pc, a);
      } else {
        begin().integer(a, b, c, op).tried(pc, "other", "(IIII)", op, c);
      }
    }

    private void otherWithNumber(int pc, int op, int a, int b, long y) {
      if (registers.areHeld()) {
        number(b).word(y).integer(op).words("other", "(JJI)J").computed(pc, a);
      } else {
        begin().integer(a, b).word(y).integer(op).tried(pc, "other", "(IIJI)", op, NUMBER);
      }
    }

    private void compare(int pc, int op, int a, int b, boolean jumpsIf, int to) {
      String name = op == Op.LT ? "less" : "lessOrEqual";
      if (registers.areHeld()) {
        number(a).number(b).words(name, "(JJ)I").decided(pc, jumpsIf, to);
      } else {
        begin().integer(a, b).invoke(name, "(II)I");
        compared(pc, op, a, b, jumpsIf, to);
      }
    }

    /** Writes a comparison of a register and a number, or of a number and a register. */
    private void test(int pc, int a, int b, boolean inOrder, String name, boolean jumpsIf, int to) {
      if (inOrder) {
        number(a).word(function.numbers[b]);
      } else {
        word(function.numbers[b]).number(a);
      }
      words(name, "(JJ)I");
      if (registers.areHeld()) {
        decided(pc, jumpsIf, to);
      } else {
        int op = name.equals("less") ? Op.LT : Op.LE;
        compared(pc, op, inOrder ? a : NUMBER, inOrder ? NUMBER : a, jumpsIf, to);
      }
    }

    private void prepareFor(int pc, int a, int end) {
      boolean inLocals = registers.areHeldByLoop(pc);
      if (inLocals) {
        load(a).load(a + 1).load(a + 2).words("times", "(JJJ)I");
      } else {
        begin().integer(a).invoke("prepare", "(I)I");
      }
      out.dup().istore(RESULT_LOCAL).loadConstant(Words.INTERPRETED).if_icmpeq(interpreted(pc));
      out.iload(RESULT_LOCAL);
      long before = dirty;
      dirty &= ~registers.range(a, 4); // these registers are free behind the loop
      out.iflt(to(end));
      dirty = before;
      if (!inLocals) {
        return;
      }
      out.iload(RESULT_LOCAL);
      out.invokestatic(desc(Values.class), "ofInt", MethodTypeDesc.ofDescriptor("(I)J"));
      hold(a + 1);
      load(a).define(a + 3);
    }

    private void loopFor(int pc, int a, int start) {
      if (!registers.areHeldByLoop(pc)) {
        begin().integer(a).invoke("turn", "(I)I");
        decided(pc, true, start);
        return;
      }
      Label over = out.newLabel();
      load(a).load(a + 1).load(a + 2).words("turns", "(JJJ)I");
      out.dup().istore(RESULT_LOCAL).iflt(interpreted(pc));
      out.iload(RESULT_LOCAL).ifeq(over);
      long before = dirty;
      load(a + 1).words("oneLess", "(J)J").hold(a + 1);
      load(a).load(a + 2).words("next", "(JJ)J").hold(a);
      load(a).define(a + 3);
      out.goto_(to(start)).labelBinding(over);
      dirty = before;
    }
  }
}
