package dev.gleaner.lua.machine;

import dev.gleaner.util.Inlining;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes the class whose methods are the shared steps. The JVM's compiler inlines no method of more
 * than 325 bytes (-XX:FreqInlineSize), so each method has that many bytes, most of which are never
 * reached. The start of a first guest needs the class. So the class is written byte by byte: to
 * load the JDK's own writer of classes would take 25 ms of the start.
 */
final class SharedStepsClass {
  /** How names of {@link SharedSteps} begin. */
  private static final String SHARED = "shared";

  /** The bytes of a method that are never reached: instructions without effect. */
  private static final byte[] PADDING = new byte[340];

  private static final String STEPS = Steps.class.getName().replace('.', '/');
  private static final int ILOAD = 0x15;
  private static final int LLOAD = 0x16;
  private static final int ALOAD = 0x19;
  private static final int ALOAD_0 = 0x2A;
  private static final int ALOAD_1 = 0x2B;
  private static final int ALOAD_2 = 0x2C;
  private static final int ACONST_NULL = 0x01;
  private static final int IRETURN = 0xAC;
  private static final int RETURN = 0xB1;
  private static final int INVOKEVIRTUAL = 0xB6;
  private static final int INVOKESPECIAL = 0xB7;
  private static final int ATHROW = 0xBF;
  private static final int SAME_FRAME_EXTENDED = 251;
  private static final String CODE = "Code";
  private static final String FRAMES = "StackMapTable";
  private static final MethodHandle MAKER;

  static {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodType maker = MethodType.methodType(void.class, Parts.class, Calls.class);
    try {
      Class<?> made = lookup.defineClass(new SharedStepsClass().write(maker.descriptorString()));
      MAKER = lookup.findConstructor(made, maker).asType(maker.changeReturnType(Steps.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
  private final DataOutputStream pool = new DataOutputStream(poolBytes);
  private final Map<String, Integer> entries = new HashMap<>();

  private SharedStepsClass() {}

  /** Makes the steps of a machine. */
  static Steps make(Parts parts, Calls calls) {
    try {
      return (Steps) MAKER.invokeExact(parts, calls);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  /** Returns the name of the shared step that does what a step does. */
  static String sharedName(String step) {
    return SHARED + Character.toUpperCase(step.charAt(0)) + step.substring(1);
  }

  private static String step(String sharedName) {
    int start = SHARED.length();
    return Character.toLowerCase(sharedName.charAt(start)) + sharedName.substring(start + 1);
  }

  private byte[] write(String maker) throws IOException {
    ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    DataOutputStream methods = new DataOutputStream(methodBytes);
    Method[] steps = SharedSteps.class.getDeclaredMethods();
    writeMaker(methods, maker);
    for (Method step : steps) {
      writeStep(methods, step);
    }
    int me = classEntry(STEPS.replace("Steps", "PaddedSteps"));
    int parent = classEntry(STEPS);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(ClassFile.MAGIC_NUMBER);
    out.writeInt(ClassFile.JAVA_21_VERSION);
    out.writeShort(entries.size() + 1);
    poolBytes.writeTo(out);
    out.writeShort(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
    out.writeShort(me);
    out.writeShort(parent);
    out.writeInt(0); // interfaces, fields
    out.writeShort(steps.length + 1);
    methodBytes.writeTo(out);
    out.writeShort(0);
    return bytes.toByteArray();
  }

  // ---- constants ----

  /** Adds a constant of two numbers of other constants, or of one. */
  private int entry(int tag, int first, int second) throws IOException {
    String key = tag + " " + first + " " + second;
    Integer known = entries.get(key);
    if (known == null) {
      pool.writeByte(tag);
      pool.writeShort(first);
      if (second != 0) {
        pool.writeShort(second);
      }
      known = entries.size() + 1;
      entries.put(key, known);
    }
    return known;
  }

  private int text(String text) throws IOException {
    Integer known = entries.get(text);
    if (known == null) {
      pool.writeByte(PoolEntry.TAG_UTF8);
      pool.writeUTF(text);
      known = entries.size() + 1;
      entries.put(text, known);
    }
    return known;
  }

  private int classEntry(String name) throws IOException {
    return entry(PoolEntry.TAG_CLASS, text(name), 0);
  }

  private int methodEntry(String name, String type) throws IOException {
    int nameAndType = entry(PoolEntry.TAG_NAME_AND_TYPE, text(name), text(type));
    return entry(PoolEntry.TAG_METHODREF, classEntry(STEPS), nameAndType);
  }

  // ---- methods ----

  private void writeMaker(DataOutputStream out, String type) throws IOException {
    ByteArrayOutputStream code = new ByteArrayOutputStream();
    code.write(ALOAD_0);
    code.write(ALOAD_1);
    code.write(ALOAD_2);
    writeCall(code, INVOKESPECIAL, methodEntry("<init>", type));
    code.write(RETURN);
    writeMethod(out, "<init>", type, code.toByteArray(), 3, -1);
  }

  private void writeStep(DataOutputStream out, Method step) throws IOException {
    ByteArrayOutputStream code = new ByteArrayOutputStream();
    StringBuilder type = new StringBuilder("(");
    int slots = 1;
    code.write(ALOAD_0);
    for (Class<?> parameter : step.getParameterTypes()) {
      code.write(parameter == long.class ? LLOAD : parameter.isPrimitive() ? ILOAD : ALOAD);
      code.write(slots);
      slots += parameter == long.class ? 2 : 1;
      type.append(parameter.descriptorString());
    }
    type.append(')').append(step.getReturnType().descriptorString());
    writeCall(code, INVOKEVIRTUAL, methodEntry(step(step.getName()), type.toString()));
    code.write(step.getReturnType() == void.class ? RETURN : IRETURN);
    int unreached = code.size();
    code.writeBytes(PADDING);
    code.write(ACONST_NULL);
    code.write(ATHROW);
    writeMethod(out, step.getName(), type.toString(), code.toByteArray(), slots, unreached);
  }

  private static void writeCall(ByteArrayOutputStream code, int kind, int method) {
    code.write(kind);
    code.write(method >> 8);
    code.write(method);
  }

  /**
   * Writes a method.
   *
   * @param slots the locals, all of which are on the stack once
   * @param frame where the code goes on that no jump or instruction reaches; negative for nowhere
   */
  private void writeMethod(
      DataOutputStream out, String name, String type, byte[] code, int slots, int frame)
      throws IOException {
    out.writeShort(0);
    out.writeShort(text(name));
    out.writeShort(text(type));
    out.writeShort(1);
    out.writeShort(text(CODE));
    out.writeInt(12 + code.length + (frame < 0 ? 0 : 11));
    out.writeShort(slots);
    out.writeShort(slots);
    out.writeInt(code.length);
    out.write(code);
    out.writeShort(0);
    if (frame < 0) {
      out.writeShort(0);
      return;
    }
    out.writeShort(1);
    out.writeShort(text(FRAMES));
    out.writeInt(5);
    out.writeShort(1);
    out.writeByte(SAME_FRAME_EXTENDED);
    out.writeShort(frame);
  }
}
