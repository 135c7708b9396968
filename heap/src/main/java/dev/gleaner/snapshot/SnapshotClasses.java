package dev.gleaner.snapshot;

import dev.gleaner.table.Sorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The classes of a snapshot.
 *
 * <p>A slot has no type in a heap, a field has one in a dump; so records and objects have a class
 * for each <em>shape</em>, the types that their slots have now: {@code Record_rid} for those whose
 * slots hold a reference, an integer and a double. It tells more than an array of boxes, and takes
 * what the slots take. Shapes are for few slots, and there is a most of them; other elements are
 * arrays.
 *
 * <p>A sort of elements has a class of its own name, below that of its kind: {@code lua.table}
 * below {@code gleaner.Object}. Functions have one for each name of code.
 */
final class SnapshotClasses {
  static final int MOST_TYPED_SLOTS = 16;
  private static final int MOST_SHAPES = 4096;

  /** Natives have a class for each of their Java objects', up to so many. */
  private static final int MOST_NATIVES = 4096;

  private static final int TYPE_BITS = 2;
  private static final int COUNT_SHIFT = MOST_TYPED_SLOTS * TYPE_BITS;
  private static final int OBJECT_SHIFT = COUNT_SHIFT + 8;
  private static final int SORT_SHIFT = OBJECT_SHIFT + 8;

  /** Functions have a class for each of their code's names, up to so many. */
  private static final int MOST_CODES = 4096;

  private static final char[] TYPES = {
    SnapshotClass.REFERENCE, SnapshotClass.INT, SnapshotClass.DOUBLE
  };

  private final List<SnapshotClass> all = new ArrayList<>();
  private final Map<String, Integer> names = new LinkedHashMap<>();
  private final Map<Long, SnapshotClass> shapes = new HashMap<>();
  private final Map<String, SnapshotClass> natives = new HashMap<>();
  private final Map<String, SnapshotClass> sorted = new HashMap<>();
  private final Map<Long, SnapshotClass> functions = new HashMap<>();

  /** Classes of sorts that have a shape; those that are one. */
  private final Set<SnapshotClass> shaped = new HashSet<>();

  private final Set<SnapshotClass> wholes = new HashSet<>();
  private final Sorts sorts;

  final SnapshotClass root = define("java/lang/Object", null);
  final SnapshotClass string =
      define("java/lang/String", root)
          .references("value")
          .field("hash", SnapshotClass.INT)
          .field("coder", SnapshotClass.BYTE);
  final SnapshotClass integer = define("java/lang/Integer", root).field("value", SnapshotClass.INT);
  final SnapshotClass longInteger =
      define("java/lang/Long", root).field("value", SnapshotClass.LONG);
  final SnapshotClass number =
      define("java/lang/Double", root).field("value", SnapshotClass.DOUBLE);
  final SnapshotClass bool =
      define("java/lang/Boolean", root)
          .field("value", SnapshotClass.BOOLEAN)
          .constant("TRUE", SnapshotClass.REFERENCE, Ids.TRUE)
          .constant("FALSE", SnapshotClass.REFERENCE, Ids.FALSE);
  final SnapshotClass nothing =
      define("gleaner/Null", root).constant("NULL", SnapshotClass.REFERENCE, Ids.NULL);
  final SnapshotClass record = define("gleaner/Record", root);
  final SnapshotClass object =
      define("gleaner/Object", root).references("prototype", "properties", "elements");
  final SnapshotClass untypedObject = define("gleaner/Object_n", object).references("slots");
  final SnapshotClass property = define("gleaner/Property", root).references("key");
  final SnapshotClass function = define("gleaner/Function", root).references("constants", "inner");
  final SnapshotClass dynamicBuffer = define("gleaner/DynamicBuffer", root).references("bytes");
  final SnapshotClass thread =
      define("gleaner/Thread", define("java/lang/Thread", root).references("name"))
          .references("stack", "calls", "resumer");
  final SnapshotClass frame = define("gleaner/Frame", root);
  final SnapshotClass aNative = define("gleaner/Native", root);
  final SnapshotClass finalizer =
      define("gleaner/Finalizer", root)
          .references("label")
          .field("element", SnapshotClass.LONG)
          .field("state", SnapshotClass.INT);
  final SnapshotClass objectArray = define("[Ljava/lang/Object;", root);
  final SnapshotClass recordArray = define("[Lgleaner/Record;", root);
  final SnapshotClass propertyArray = define("[Lgleaner/Property;", root);
  private final SnapshotClass reference =
      define("java/lang/ref/Reference", root).references("referent");
  final SnapshotClass weakReference = define("java/lang/ref/WeakReference", reference);
  private final SnapshotClass[] properties = {
    define("gleaner/Property_r", property).references("value"),
    define("gleaner/Property_i", property).field("value", SnapshotClass.INT),
    define("gleaner/Property_d", property).field("value", SnapshotClass.DOUBLE)
  };

  SnapshotClasses(Sorts sorts) {
    this.sorts = sorts;
    define("java/lang/Class", root);
    define("java/lang/ClassLoader", root);
    // So are the bytes of a string whose coder says UTF-16.
    define("java/lang/StringUTF16", root)
        .constant("HI_BYTE_SHIFT", SnapshotClass.INT, 0)
        .constant("LO_BYTE_SHIFT", SnapshotClass.INT, 8);
    for (String kind : new String[] {"Soft", "Final", "Phantom"}) {
      define("java/lang/ref/" + kind + "Reference", reference);
    }
    for (char type : "ZCFDBSIJ".toCharArray()) {
      define("[" + type, root);
    }
  }

  private SnapshotClass define(String name, @Nullable SnapshotClass parent) {
    SnapshotClass c = new SnapshotClass(all.size() + 1, name, parent);
    all.add(c);
    return c;
  }

  /** The shape of no slots of a record, or of an object, of a sort. */
  static long shape(boolean isObject, int sort) {
    return (long) sort << SORT_SHIFT | (isObject ? 1L : 0) << OBJECT_SHIFT;
  }

  /** The sort of an element, by its header. */
  int sort(long header) {
    return sorts.of(header);
  }

  /** The class of a sort, below that of a kind; this itself for no sort. */
  private SnapshotClass ofSort(int sort, SnapshotClass kind) {
    return sort == 0 ? kind : below(kind, sorts.name(sort).replace('.', '/'));
  }

  /** A class of this name below another one, which has the same fields. */
  private SnapshotClass below(SnapshotClass parent, String name) {
    return sorted.computeIfAbsent(parent.number() + " " + name, _ -> define(name, parent));
  }

  /** Makes the class of threads of a sort. */
  void addThread(int sort) {
    SnapshotClass _ = ofThread(sort);
  }

  SnapshotClass ofThread(int sort) {
    return ofSort(sort, thread);
  }

  /**
   * Makes the class of functions of a sort with this code, unless there are too many.
   *
   * @param code its number, -1 for none
   */
  void addFunction(int sort, int code) {
    SnapshotClass _ = ofSort(sort, function);
    if (functions.size() < MOST_CODES && !functions.containsKey(key(sort, code))) {
      SnapshotClass parent = ofSort(sort, function);
      String name = sorts.codeName(code);
      functions.put(
          key(sort, code), name == null ? parent : below(parent, parent.name() + " " + name));
    }
  }

  private static long key(int sort, int code) {
    return (long) sort << 32 | (code & 0xFFFF_FFFFL);
  }

  SnapshotClass ofFunction(int sort, int code) {
    SnapshotClass c = functions.get(key(sort, code));
    return c == null ? ofSort(sort, function) : c;
  }

  /** A shape with one slot more. */
  static long add(long shape, long value) {
    return ((shape >>> COUNT_SHIFT) + 1) << COUNT_SHIFT
        | (shape << TYPE_BITS & (1L << COUNT_SHIFT) - 1)
        | Slots.type(value);
  }

  /**
   * Makes a class for a shape, unless there are too many. If the first shape of a sort has nothing
   * but references, which is what slots of a language's own elements mostly are, the sort's class
   * is that shape's, and other shapes stand beside it.
   */
  void addShape(long shape) {
    if (shapes.size() >= MOST_SHAPES || shapes.containsKey(shape)) {
      return;
    }
    SnapshotClass kind = (shape >>> OBJECT_SHIFT & 1) != 0 ? object : record;
    SnapshotClass named = ofSort((int) (shape >>> SORT_SHIFT), kind);
    int slots = (int) (shape >>> COUNT_SHIFT) & 0xFF;
    StringBuilder suffix = new StringBuilder();
    for (int i = slots - 1; i >= 0; i--) {
      suffix.append("rid".charAt(type(shape, i)));
    }
    boolean first = named != kind && shaped.add(named);
    boolean whole = first && slots > 0 && suffix.chars().allMatch(c -> c == 'r');
    SnapshotClass c = named;
    if (whole) {
      wholes.add(named);
    } else if (slots > 0 || wholes.contains(named)) {
      c = define(named.name() + "_" + suffix, wholes.contains(named) ? kind : named);
    }
    for (int i = slots - 1; i >= 0; i--) {
      c.field("slot" + (slots - 1 - i), TYPES[type(shape, i)]);
    }
    shapes.put(shape, c);
  }

  private static int type(long shape, int fromLast) {
    return (int) (shape >>> (fromLast * TYPE_BITS)) & ((1 << TYPE_BITS) - 1);
  }

  /** The class of a shape, or null. */
  @Nullable SnapshotClass ofShape(long shape) {
    return shapes.get(shape);
  }

  /** The class of a property with such a value. */
  SnapshotClass property(long value) {
    return properties[Slots.type(value)];
  }

  /** Makes a class for natives with objects of a Java class, unless there are too many. */
  void addNative(int sort, @Nullable Object value) {
    SnapshotClass parent = ofSort(sort, aNative);
    if (value != null && natives.size() < MOST_NATIVES) {
      String name = value.getClass().getName();
      natives.computeIfAbsent(
          sort + name, _ -> define(parent.name() + "_" + name.replace('.', '/'), parent));
    }
  }

  SnapshotClass ofNative(int sort, @Nullable Object value) {
    SnapshotClass parent = ofSort(sort, aNative);
    return value == null ? parent : natives.getOrDefault(sort + value.getClass().getName(), parent);
  }

  /** The number of a name; all are to be asked for before {@link #writeNames}. */
  private int name(String text) {
    return names.computeIfAbsent(text, _ -> names.size() + 1);
  }

  long nameId(String text) {
    return Ids.of(Ids.NAME, name(text));
  }

  /** Writes the records of names and classes. */
  void writeNames(HprofOutput out) throws IOException {
    for (SnapshotClass c : all) {
      name(c.name());
      c.fields().forEach(f -> name(f.name()));
      c.statics().forEach(f -> name(f.name()));
    }
    for (Map.Entry<String, Integer> entry : names.entrySet()) {
      byte[] text = entry.getKey().getBytes(java.nio.charset.StandardCharsets.UTF_8);
      out.record(HprofOutput.NAME, 8L + text.length);
      out.id(Ids.of(Ids.NAME, entry.getValue()));
      out.bytes(text);
    }
    for (SnapshotClass c : all) {
      out.record(HprofOutput.LOAD_CLASS, 24);
      out.u4(c.number());
      out.id(c.id());
      out.u4(Entries.NO_TRACE);
      out.id(nameId(c.name()));
    }
  }

  /** Writes the entries of the classes, each with a root that holds it. */
  void writeDumps(Entries out) throws IOException {
    for (SnapshotClass c : all) {
      out.classDump(c, this);
      out.root(Entries.CLASS_ROOT, c.id());
    }
  }
}
