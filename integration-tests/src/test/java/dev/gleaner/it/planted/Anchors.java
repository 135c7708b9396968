package dev.gleaner.it.planted;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the places of bugs in classes.
 *
 * <p>A name decides first. Where a name is gone, the recorded sketch of the method decides: {@code
 * sketches.txt} has one for each method with a bug. So nothing is lost when a method, a callee, a
 * field or a class is renamed, or when a method or a class moves.
 */
final class Anchors {
  static final String FILE = "sketches.txt";

  /** Renaming all that a method calls keeps more of the method than this. */
  private static final double SIMILAR = 0.6;

  private final Program program;
  private final List<Sketch> recorded;
  private final List<String> renamed = new ArrayList<>();

  /**
   * A place in a class file.
   *
   * @param method has the code
   * @param index of the element of the code; -1 for the beginning
   */
  record Target(MethodModel method, int index) {
    String className() {
      return method.parent().orElseThrow().thisClass().asInternalName();
    }
  }

  private Anchors(Program program, List<Sketch> recorded) {
    this.program = program;
    this.recorded = recorded;
  }

  /** Reads what was recorded. */
  static Anchors of(Program program) {
    InputStream file = Anchors.class.getResourceAsStream(FILE);
    if (file == null) {
      return new Anchors(program, List.of());
    }
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      return new Anchors(program, lines.lines().map(Anchors::parse).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Sketch parse(String line) {
    String[] parts = line.split("\\|", -1);
    String title = parts[0];
    int descriptor = title.indexOf('(');
    int dot = title.lastIndexOf('.', descriptor);
    return new Sketch(
        null,
        title.substring(0, dot),
        title.substring(dot + 1, descriptor),
        title.substring(descriptor),
        Arrays.stream(parts).skip(1).map(Sketch.Item::parse).toList());
  }

  /** {@return the lines of the file, for the methods of these places} */
  List<String> record(Collection<Place> places) {
    TreeMap<String, String> lines = new TreeMap<>();
    for (Place place : places) {
      Sketch found = sketch(locate(place).method());
      lines.put(
          found.title(),
          Stream.concat(Stream.of(found.title()), found.items().stream())
              .map(Object::toString)
              .collect(Collectors.joining("|")));
    }
    return List.copyOf(lines.values());
  }

  private static Sketch sketch(MethodModel method) {
    return Sketch.of(method.parent().orElseThrow(), method);
  }

  /** {@return what was found under another name since this object was made} */
  List<String> renamed() {
    return renamed;
  }

  /** {@return whether a sketch of the method is recorded} */
  boolean knows(Place place) {
    return recorded.stream().anyMatch(place::names);
  }

  /** Finds a place, by name or by what the method does. */
  Target locate(Place place) {
    ClassModel type = program.find(place.type());
    List<Sketch> named =
        type == null ? List.of() : Program.sketches(type).stream().filter(place::names).toList();
    List<Target> targets =
        named.stream().map(s -> byName(place, s)).filter(Objects::nonNull).toList();
    if (targets.size() == 1) {
      return targets.getFirst();
    }
    if (targets.size() > 1) {
      throw new LostAnchorException(
          place
              + " is in several methods; say which: "
              + named.stream().map(Sketch::title).collect(Collectors.joining(", ")));
    }
    return bySketch(place, type, named);
  }

  private static @Nullable Target byName(Place place, Sketch sketch) {
    if (place.isWhole()) {
      return new Target(code(sketch), -1);
    }
    int at = place.find(sketch);
    return at < 0 ? null : target(place, sketch, at);
  }

  private static MethodModel code(Sketch sketch) {
    return Objects.requireNonNull(sketch.method());
  }

  private static Target target(Place place, Sketch sketch, int at) {
    Sketch.Item item = sketch.items().get(place.follow(sketch, at));
    return new Target(Objects.requireNonNull(item.in()), item.index());
  }

  private Target bySketch(Place place, @Nullable ClassModel type, List<Sketch> named) {
    String lost =
        type == null
            ? "there is no class " + place.type()
            : named.isEmpty()
                ? "there is no method " + place.method()
                : "there is no " + place + " in " + place.method();
    List<Sketch> old = recorded.stream().filter(place::names).toList();
    if (old.isEmpty()) {
      throw new LostAnchorException(
          lost + ", and no sketch is recorded\n" + near(named, type, place));
    }
    for (Sketch then : old) {
      for (Sketch now : candidates(then, type, named)) {
        Target target = place.isWhole() ? new Target(code(now), -1) : byName(place, now);
        int at = place.isWhole() || target != null ? -1 : place.find(then);
        Sketch.Item item = at < 0 ? null : then.counterpart(at, now);
        if (item != null) {
          target = target(place, now, now.items().indexOf(item));
        }
        if (target != null) {
          renamed.add(
              place
                  + " of "
                  + place.method()
                  + " is now "
                  + (item == null ? "" : item + " of ")
                  + now.title());
          return target;
        }
      }
    }
    throw new LostAnchorException(lost + ", nor anything like it\n" + near(named, type, place));
  }

  /** The methods of the name, and the one that is most similar, if one is. */
  private List<Sketch> candidates(Sketch then, @Nullable ClassModel type, List<Sketch> named) {
    List<Sketch> all = new ArrayList<>(named);
    Sketch nearest = type == null ? null : nearest(then, Program.sketches(type));
    if (nearest == null) {
      nearest = nearest(then, program.all().flatMap(c -> Program.sketches(c).stream()).toList());
    }
    if (nearest != null) {
      all.add(nearest);
    }
    return all;
  }

  private @Nullable Sketch nearest(Sketch then, List<Sketch> methods) {
    List<Sketch> best =
        methods.stream()
            .filter(m -> m.similarity(then) >= SIMILAR)
            .filter(m -> recorded.stream().noneMatch(r -> r.title().equals(m.title())))
            .sorted(Comparator.comparingDouble((Sketch m) -> m.similarity(then)).reversed())
            .limit(2)
            .toList();
    boolean unique =
        best.size() == 1
            || (best.size() == 2
                && best.getFirst().similarity(then) > best.getLast().similarity(then));
    return unique ? best.getFirst() : null;
  }

  private String near(List<Sketch> named, @Nullable ClassModel type, Place place) {
    if (!named.isEmpty()) {
      return "there: "
          + named.stream()
              .flatMap(s -> s.items().stream())
              .filter(i -> i.kind().equals(place.kind()))
              .map(Sketch.Item::toString)
              .distinct()
              .collect(Collectors.joining(", "));
    }
    Stream<ClassModel> classes = type == null ? program.all() : Stream.of(type);
    List<Sketch> old = recorded.stream().filter(place::names).toList();
    ToDoubleFunction<Sketch> score =
        s ->
            old.stream()
                .mapToDouble(o -> o.similarity(s))
                .max()
                .orElseGet(() -> alike(place.method(), s.type() + "." + s.name()));
    return "nearest: "
        + classes
            .flatMap(c -> Program.sketches(c).stream())
            .sorted(Comparator.comparingDouble(score).reversed())
            .limit(3)
            .map(Sketch::title)
            .collect(Collectors.joining(", "));
  }

  /** How many pieces of three letters two names share. */
  private static double alike(String asked, String name) {
    long shared =
        IntStream.rangeClosed(0, asked.length() - 3)
            .filter(i -> name.contains(asked.substring(i, i + 3)))
            .count();
    return (double) shared / (asked.length() + name.length());
  }
}
