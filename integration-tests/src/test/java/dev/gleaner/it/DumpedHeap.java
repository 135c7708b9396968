package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.lab.hprof.HprofClass;
import dev.gleaner.lab.hprof.HprofInput;
import dev.gleaner.lab.hprof.HprofReader;
import dev.gleaner.lab.hprof.HprofRoot;
import dev.gleaner.lab.hprof.HprofType;
import dev.gleaner.lab.hprof.HprofVisitor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A small snapshot, read into Java objects. */
public final class DumpedHeap implements HprofVisitor {
  private final Map<Long, String> names = new HashMap<>();
  private final Map<Long, String> classNames = new HashMap<>();
  private final Map<Long, HprofClass> classes = new HashMap<>();
  private final Map<Long, Item> items = new HashMap<>();
  private final List<Root> roots = new ArrayList<>();

  /** An object: the values of its fields by their names, or its references, or its bytes. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Item(
      long id,
      String className,
      Map<String, Object> fields,
      @Nullable List<Long> references,
      byte @Nullable [] bytes) {
    public long reference(String field) {
      return (Long) value(field);
    }

    public Object value(String field) {
      return Objects.requireNonNull(fields.get(field), () -> this + " has no " + field);
    }
  }

  /** A root. */
  public record Root(HprofRoot kind, long id) {}

  private DumpedHeap() {}

  /** Writes a snapshot to a file, which is replaced. */
  public static void write(Heap heap, Path file) {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      heap.inspect().writeSnapshot(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static DumpedHeap of(Heap heap, Path file) {
    write(heap, file);
    return read(file);
  }

  public static DumpedHeap read(Path file) {
    DumpedHeap dump = new DumpedHeap();
    new HprofReader(file).read(dump);
    return dump;
  }

  /** The object with this identifier. */
  public Item item(long id) {
    return Objects.requireNonNull(items.get(id), () -> "no object " + id);
  }

  /** All objects. */
  public Iterable<Item> items() {
    return items.values();
  }

  /** How many objects have a class that is this one, or a typed one of it. */
  public long count(String className) {
    return items.values().stream()
        .filter(i -> i.className().equals(className) || i.className().startsWith(className + "_"))
        .count();
  }

  /** The identifiers that roots of a kind refer to, in the order of the file. */
  public List<Long> roots(HprofRoot kind) {
    return roots.stream().filter(r -> r.kind() == kind).map(Root::id).toList();
  }

  /** The text of a string. */
  public String text(long id) {
    Item string = item(id);
    byte[] bytes = Objects.requireNonNull(item(string.reference("value")).bytes());
    return new String(
        bytes,
        (Byte) string.value("coder") == 0
            ? StandardCharsets.ISO_8859_1
            : StandardCharsets.UTF_16LE);
  }

  /** The text of a string as characters, which may be half of a pair. */
  public char[] characters(long id) {
    Item string = item(id);
    byte[] bytes = Objects.requireNonNull(item(string.reference("value")).bytes());
    int width = (Byte) string.value("coder") == 0 ? 1 : 2;
    char[] characters = new char[bytes.length / width];
    for (int i = 0; i < characters.length; i++) {
      int high = width == 1 ? 0 : bytes[2 * i + 1] << 8;
      characters[i] = (char) (high | (bytes[width * i] & 0xFF));
    }
    return characters;
  }

  @Override
  public void name(long id, HprofInput in) {
    byte[] text = new byte[(int) in.remaining()];
    in.bytes(text, 0, text.length);
    names.put(id, new String(text, StandardCharsets.UTF_8));
  }

  @Override
  public void classLoaded(long classId, long nameId) {
    classNames.put(classId, Objects.requireNonNull(names.get(nameId)));
  }

  @Override
  public void root(HprofRoot kind, long id) {
    roots.add(new Root(kind, id));
  }

  @Override
  public void classDump(HprofClass dumped) {
    classes.put(dumped.id(), dumped);
  }

  private void add(Item item) {
    if (items.put(item.id(), item) != null) {
      throw new AssertionError("twice: " + item);
    }
  }

  private String className(long id) {
    return Objects.requireNonNull(classNames.get(id)).replace('/', '.');
  }

  @Override
  public void instance(long id, long classId, long bytes, HprofInput in) {
    byte[] contents = new byte[(int) bytes];
    in.bytes(contents, 0, contents.length);
    ByteBuffer values = ByteBuffer.wrap(contents);
    Map<String, Object> fields = new HashMap<>();
    HprofClass c = classes.get(classId);
    while (c != null) {
      for (int i = 0; i < c.fields().length; i++) {
        String name = Objects.requireNonNull(names.get(c.fieldNames()[i]));
        fields.put(name, value(c.fields()[i], values));
      }
      c = classes.get(c.superId());
    }
    if (values.hasRemaining()) {
      throw new AssertionError(values + " of " + className(classId));
    }
    add(new Item(id, className(classId), fields, null, null));
  }

  private static Object value(HprofType type, ByteBuffer from) {
    return switch (type) {
      case OBJECT, LONG -> from.getLong();
      case INT -> from.getInt();
      case DOUBLE -> from.getDouble();
      case BYTE -> from.get();
      case BOOLEAN -> from.get() != 0;
      default -> throw new AssertionError(type);
    };
  }

  @Override
  public void objectArray(long id, long classId, int length, HprofInput in) {
    List<Long> references = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      references.add(in.id());
    }
    add(new Item(id, className(classId), Map.of(), references, null));
  }

  @Override
  public void primitiveArray(long id, HprofType type, int length, HprofInput in) {
    byte[] bytes = new byte[length];
    in.bytes(bytes, 0, length);
    add(new Item(id, "byte[]", Map.of(), null, bytes));
  }
}
