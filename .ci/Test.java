import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Runs classes of tests, or single methods, in seconds: {@code ./gleaner test}, which calls {@code
 * java .ci/Test.java ROOT MAVEN ARGUMENTS...}.
 *
 * <p>Maven says the class paths once for each state of the POMs. From then on this class compiles
 * what changed, without checks, into {@code target/test-command}; Maven's own folders stay as they
 * are: {@link Part} says which files those are.
 */
final class Test {
  private static final String USAGE =
      """
      Usage: gleaner test CLASS[#METHOD]... [--collector NAME] [--seed N] [--exhaustive]
      Runs classes of tests, or single methods, of one module, after it compiled what changed.

        CLASS              its simple name, or with its package
        --collector NAME   leaves out what runs under another collector
        --seed N           the seed of random tests (42)
        --exhaustive       runs the exhaustive tier's tests instead of the short tier's
        --help             prints this

      The tests' own output is in target/test-command/output. GLEANER_JAVA_OPTS has options for
      their JVM. Exit status: 0 all passed, 1 a test failed, none ran or the sources do not
      compile, 2 the request was wrong.
      """;

  /** The classes of tests that other modules' tests use, by module. */
  private static final Map<String, String> SHARED =
      new TreeMap<>(
          Map.of(
              "api", "dev/gleaner/testing/|.*/SimulatedPages",
              "heap", "dev/gleaner/testing/"));

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

  private final Path root;
  private final Path work;
  private final String maven;
  private final Map<String, Module> modules = new HashMap<>();

  private Test(Path root, String maven) {
    this.root = root;
    this.maven = maven;
    work = root.resolve("target/test-command");
  }

  public static void main(String... arguments) throws IOException, InterruptedException {
    try {
      List<String> rest = List.of(arguments).subList(2, arguments.length);
      System.exit(new Test(Path.of(arguments[0]), arguments[1]).run(new Request(rest)));
    } catch (StopException e) {
      if (e.getMessage() != null) {
        (e.status == 0 ? System.out : System.err).println(e.getMessage());
      }
      System.exit(e.status);
    }
  }

  /** Ends the program. */
  private static final class StopException extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int status;

    StopException(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private static StopException wrong(String message) {
    return new StopException(2, "gleaner test: " + message);
  }

  /** What the command line asks for. */
  private static final class Request {
    final List<String> tests = new ArrayList<>();
    String collector = "";
    String seed = "42";
    boolean exhaustive;

    Request(List<String> arguments) {
      for (var rest = arguments.iterator(); rest.hasNext(); ) {
        String argument = rest.next();
        String name = argument.replaceFirst("=.*", "");
        switch (name) {
          case "--help", "-h" -> throw new StopException(0, USAGE.stripTrailing());
          case "--exhaustive" -> exhaustive = true;
          case "--collector", "--seed" -> {
            String value =
                name.length() < argument.length()
                    ? argument.substring(name.length() + 1)
                    : rest.hasNext() ? rest.next() : "";
            if (value.isEmpty()) {
              throw wrong(name + " has no value");
            }
            if (name.equals("--collector")) {
              collector = value;
            } else if (value.matches("-?\\d{1,18}")) {
              seed = value;
            } else {
              throw wrong("--seed is an integer, not '" + value + "'");
            }
          }
          default -> {
            if (argument.startsWith("-")) {
              throw wrong(
                  "there is no option '"
                      + argument
                      + "'; those there are: --collector, --seed, --exhaustive, --help");
            }
            tests.add(argument);
          }
        }
      }
      if (tests.isEmpty()) {
        throw wrong("which test? For example: gleaner test BudgetTest");
      }
    }
  }

  private int run(Request request) throws IOException, InterruptedException {
    List<Source> sources = new ArrayList<>();
    for (String test : request.tests) {
      sources.add(find(test));
    }
    String name = sources.getFirst().module;
    for (int i = 1; i < sources.size(); i++) {
      if (!sources.get(i).module.equals(name)) {
        throw wrong(
            request.tests.getFirst()
                + " is in "
                + name
                + " and "
                + request.tests.get(i)
                + " in "
                + sources.get(i).module
                + "; one run takes tests of one module");
      }
    }
    Set<String> collectors = collectors();
    if (!request.collector.isEmpty() && !collectors.contains(request.collector)) {
      throw wrong(
          "there is no collector '"
              + request.collector
              + "'; those there are: "
              + String.join(", ", collectors));
    }
    Module module = module(name);
    module.compile();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-ea",
            "-XX:+UseSerialGC",
            "-XX:MarkSweepDeadRatio=0",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=inline,jdk.internal.misc.Unsafe::*LongUnaligned",
            "-XX:CompileCommand=inline,jdk.internal.misc.Unsafe::convEndian",
            "-Xshare:auto",
            "-XX:+EnableDynamicAgentLoading",
            "--enable-native-access=ALL-UNNAMED"));
    String options = System.getenv("GLEANER_JAVA_OPTS");
    if (options != null && !options.isBlank()) {
      command.addAll(List.of(options.strip().split("\\s+")));
    }
    command.add("-Dgleaner.seed=" + request.seed);
    command.add("-Dgleaner.test.exhaustive=" + request.exhaustive);
    if (!request.collector.isEmpty()) {
      Set<String> others = new TreeSet<>(collectors);
      others.remove(request.collector);
      command.add("-Dgleaner.test.collector=" + request.collector);
      command.add("-Dgleaner.test.others=" + String.join("|", others));
      command.add("-Djunit.jupiter.extensions.autodetection.enabled=true");
    }
    command.add("-cp");
    command.add(module.classPath());
    command.add("dev.gleaner.testing.Runner");
    command.add(work.resolve("output").toString());
    for (int i = 0; i < sources.size(); i++) {
      String test = request.tests.get(i);
      int hash = test.indexOf('#');
      command.add(sources.get(i).className + (hash < 0 ? "" : test.substring(hash)));
    }
    return new ProcessBuilder(command)
        .directory(root.resolve(name).toFile())
        .inheritIO()
        .start()
        .waitFor();
  }

  /** A class of tests. */
  private record Source(String module, String className) {}

  private Source find(String test) throws IOException {
    String name = test.replaceFirst("#.*", "");
    String simple = name.substring(name.lastIndexOf('.') + 1);
    List<Source> found = new ArrayList<>();
    Set<String> all = new TreeSet<>();
    for (Path module : children(root)) {
      for (Path file : javaFiles(module.resolve("src/test/java"))) {
        String own = file.getFileName().toString().replace(".java", "");
        all.add(own);
        if (own.equals(simple)) {
          String className = packageOf(file) + "." + own;
          if (name.equals(simple) || name.equals(className)) {
            found.add(new Source(module.getFileName().toString(), className));
          }
        }
      }
    }
    if (found.size() > 1) {
      throw wrong(
          "several classes have the name "
              + name
              + ": "
              + found.stream().map(Source::className).collect(Collectors.joining(", ")));
    }
    if (found.isEmpty()) {
      String near =
          all.stream()
              .filter(n -> n.endsWith("Test"))
              .min(Comparator.comparingInt(n -> distance(n, simple)))
              .map(n -> "; the nearest name is " + n)
              .orElse("");
      throw wrong("there is no class of tests '" + name + "'" + near);
    }
    return found.getFirst();
  }

  /** How many letters must change. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= from.length(); i++) {
      int left = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int change = left + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        left = row[j];
        row[j] = Math.min(change, 1 + Math.min(left, row[j - 1]));
      }
    }
    return row[to.length()];
  }

  private Set<String> collectors() throws IOException {
    Set<String> names = new TreeSet<>(Set.of("poison"));
    for (Path child : children(root)) {
      String name = child.getFileName().toString();
      if (name.startsWith("collector-")) {
        names.add(name.substring("collector-".length()));
      }
    }
    return names;
  }

  private Module module(String name) throws IOException, InterruptedException {
    Module module = modules.get(name);
    if (module == null) {
      Path list = work.resolve(name).resolve("class-path");
      if (!Files.exists(list)
          || modified(list) < modified(root.resolve("pom.xml"))
          || modified(list) < modified(root.resolve(name).resolve("pom.xml"))) {
        askMaven();
      }
      module = new Module(name, Files.readString(list).strip());
    }
    return module;
  }

  private void askMaven() throws IOException, InterruptedException {
    if (maven.isEmpty()) {
      throw wrong(
          "Maven 3.8.6 or newer is needed for the class paths, and there is no mvn on the PATH");
    }
    System.err.println(
        "gleaner test: Maven looks up the class paths (first run, or a POM changed)…");
    Path log = work.resolve("maven.log");
    Files.createDirectories(work);
    int status =
        new ProcessBuilder(
                maven,
                "-B",
                "-q",
                "test-compile",
                "dependency:build-classpath",
                "-Dmdep.outputFile=${project.build.directory}/test-class-path",
                "-Dmaven.main.skip=true",
                "-Dmaven.test.skip=true",
                "-Dgleaner.jmh.skip=true",
                "-Dgleaner.format.skip=true")
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    if (status != 0) {
      throw new StopException(1, Files.readString(log) + "gleaner test: what Maven said is above");
    }
    for (Path module : children(root)) {
      Path list = module.resolve("target/test-class-path");
      if (Files.exists(list)) {
        Path to = work.resolve(module.getFileName()).resolve("class-path");
        Files.createDirectories(to.getParent());
        Files.move(list, to, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(to, FileTime.fromMillis(System.currentTimeMillis()));
      }
    }
  }

  /** A module of the build, with what its tests need. */
  private final class Module {
    final String name;
    final List<String> libraries = new ArrayList<>();

    /** Parts of other modules, in the order of the class path. */
    final List<Part> needs = new ArrayList<>();

    final Part main;
    final Part tests;

    Module(String name, String classPath) throws IOException, InterruptedException {
      this.name = name;
      modules.put(name, this);
      main = new Part(this, "main", "main", "");
      tests = new Part(this, "tests", "test", "");
      for (String entry : classPath.split(Pattern.quote(File.pathSeparator))) {
        Path path = Path.of(entry);
        if (!path.startsWith(root)) {
          libraries.add(entry);
        } else if (path.endsWith("classes")) {
          needs.add(module(root.relativize(path).getName(0).toString()).main);
        }
      }
    }

    /** The tests, what they need, and the runner. */
    List<Part> parts() throws IOException, InterruptedException {
      List<Part> parts = new ArrayList<>(List.of(tests, main));
      parts.addAll(needs);
      for (Map.Entry<String, String> shared : SHARED.entrySet()) {
        String from = shared.getKey();
        if (needs.stream().anyMatch(need -> need.owner.name.equals(from))) {
          parts.add(new Part(module(from), "shared", "test", shared.getValue()));
        }
      }
      return parts;
    }

    void compile() throws IOException, InterruptedException {
      compileMain();
      List<Part> parts = parts();
      for (Part part : parts) {
        part.owner.compileMain();
        if (part.kind.equals("test") && part != tests) {
          part.compile(parts.subList(1, parts.indexOf(part)));
        }
      }
      tests.compile(parts.subList(1, parts.size()));
    }

    private void compileMain() throws IOException, InterruptedException {
      for (Part need : needs) {
        need.owner.compileMain();
      }
      main.compile(needs);
    }

    String classPath() throws IOException, InterruptedException {
      Set<String> path = new LinkedHashSet<>();
      for (Part part : parts()) {
        path.addAll(part.places());
      }
      path.addAll(libraries);
      return String.join(File.pathSeparator, path);
    }
  }

  /**
   * The main classes of a module, its tests, or those that the tests of other modules share.
   *
   * <p>Each class has a digest of what others may notice of it. A file is compiled if it changed,
   * or if it mentions a class whose digest changed, in its source or in its compiled classes.
   */
  private final class Part {
    final Module owner;
    private final Path out;
    private final Path state;
    private final String kind;
    private final Path sources;
    private final Pattern files;

    /** Of each class: the name of its source file, and its digest. */
    private Map<String, String> interfaces = new TreeMap<>();

    private boolean compiled;

    Part(Module owner, String name, String kind, String files) {
      this.owner = owner;
      this.kind = kind;
      this.files = Pattern.compile(files);
      out = work.resolve(owner.name).resolve(name);
      state = work.resolve(owner.name).resolve(name + ".state");
      sources = root.resolve(owner.name).resolve("src").resolve(kind).resolve("java");
    }

    /** Where classes and resources are. */
    List<String> places() throws IOException {
      List<String> places = new ArrayList<>(List.of(out.toString()));
      Path resources = sources.resolveSibling("resources");
      if (Files.isDirectory(resources)) {
        places.add(resources.toString());
      }
      if (owner.name.equals("lab") && kind.equals("main")) {
        places.add(programs().toString());
      }
      return places;
    }

    void compile(List<Part> needs) throws IOException, InterruptedException {
      if (compiled) {
        return;
      }
      compiled = true;
      Map<String, String> stamps = new TreeMap<>();
      for (Path file : javaFiles(sources)) {
        String name = slashes(sources.relativize(file));
        if (files.matcher(name).lookingAt()) {
          stamps.put(name, modified(file) + " " + Files.size(file));
        }
      }
      Map<String, String> others = new TreeMap<>();
      for (Part need : needs) {
        need.interfaces.forEach((c, d) -> others.put(c, d.replaceFirst("^\\S+ ", "")));
      }
      State before = State.read(state);
      interfaces = new TreeMap<>(before.interfaces);
      Set<String> stale = different(before.stamps, stamps);
      Set<String> noticed = simple(different(before.others, others));
      if (stale.isEmpty() && noticed.isEmpty()) {
        return;
      }
      String path =
          Stream.concat(Stream.of(this), needs.stream())
                  .flatMap(p -> p.existing().stream())
                  .collect(Collectors.joining(File.pathSeparator))
              + File.pathSeparator
              + String.join(File.pathSeparator, owner.libraries);
      if (stale.size() > stamps.size() / 2) {
        interfaces.clear();
        delete(out);
        noticed.clear();
        stale = new TreeSet<>(stamps.keySet());
      }
      Set<String> done = new TreeSet<>();
      while (true) {
        stale.addAll(mentioning(noticed, stamps.keySet()));
        stale.removeAll(done);
        if (stale.isEmpty()) {
          break;
        }
        noticed = simple(replace(stale, stamps.keySet(), path, others));
        done.addAll(stale);
        stale = new TreeSet<>();
      }
      new State(stamps, others, interfaces).write(state);
    }

    private List<String> existing() {
      try {
        return places();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The files that mention one of these classes, in their source or in their classes. */
    private Set<String> mentioning(Set<String> names, Set<String> all) throws IOException {
      Set<String> found = new TreeSet<>();
      if (names.isEmpty()) {
        return found;
      }
      Pattern word =
          Pattern.compile("(?<![A-Za-z0-9_])(?:" + String.join("|", names) + ")(?![A-Za-z0-9_])");
      for (String file : all) {
        if (word.matcher(Files.readString(sources.resolve(file))).find()) {
          found.add(file);
        }
      }
      for (var entry : interfaces.entrySet()) {
        String file = entry.getValue().replaceFirst(" .*", "");
        Path code = out.resolve(entry.getKey() + ".class");
        if (all.contains(file)
            && !found.contains(file)
            && word.matcher(new String(Files.readAllBytes(code), ISO_8859_1)).find()) {
          found.add(file);
        }
      }
      return found;
    }

    /** Compiles these files, and returns the classes of which others may notice something. */
    private Set<String> replace(
        Set<String> stale, Set<String> all, String path, Map<String, String> others)
        throws IOException {
      Path fresh = out.resolveSibling(out.getFileName() + ".new");
      delete(fresh);
      List<String> present = stale.stream().filter(all::contains).toList();
      if (!present.isEmpty()) {
        javac(present, path, fresh);
      }
      Map<String, String> before = new TreeMap<>(interfaces);
      for (var entry : before.entrySet()) {
        if (stale.contains(entry.getValue().replaceFirst(" .*", ""))) {
          interfaces.remove(entry.getKey());
          Files.deleteIfExists(out.resolve(entry.getKey() + ".class"));
        }
      }
      for (Path file : classFiles(fresh)) {
        ClassModel model = ClassFile.of().parse(file);
        String name = model.thisClass().asInternalName();
        String source =
            model.findAttribute(Attributes.sourceFile()).orElseThrow().sourceFile().stringValue();
        interfaces.put(
            name,
            name.substring(0, name.lastIndexOf('/') + 1) + source + " " + Interface.of(model));
        Path to = out.resolve(slashes(fresh.relativize(file)));
        Files.createDirectories(to.getParent());
        Files.move(file, to, StandardCopyOption.REPLACE_EXISTING);
      }
      delete(fresh);
      inherit(others);
      return different(before, interfaces);
    }

    /** A class has in its digest those of the classes that it extends. */
    private void inherit(Map<String, String> others) {
      Map<String, String> whole = new TreeMap<>();
      for (String name : interfaces.keySet()) {
        whole.put(name, inherited(name, others, whole));
      }
      interfaces = whole;
    }

    private String inherited(String name, Map<String, String> others, Map<String, String> whole) {
      if (!interfaces.containsKey(name)) {
        return others.getOrDefault(name, "");
      }
      String known = whole.get(name);
      if (known != null) {
        return known;
      }
      // File, digest, names of what it extends, digests of these.
      String[] fields = interfaces.get(name).split(" ", -1);
      StringBuilder above = new StringBuilder();
      for (String type : fields[2].split(",")) {
        above.append(inherited(type, others, whole));
      }
      return fields[0]
          + " "
          + fields[1]
          + " "
          + fields[2]
          + " "
          + Integer.toHexString(above.toString().hashCode());
    }

    private void javac(List<String> files, String path, Path to) throws IOException {
      System.err.println(
          "gleaner test: compiling "
              + owner.name
              + (kind.equals("test") ? "'s tests" : "")
              + " ("
              + (files.size() == 1 ? "1 file" : files.size() + " files")
              + ")…");
      Files.createDirectories(to);
      List<String> options =
          List.of(
              "-g",
              "-parameters",
              "-nowarn",
              "-proc:none",
              "-implicit:none",
              "-XDstringConcat=inline",
              "-d",
              to.toString(),
              "-cp",
              path);
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
      boolean done;
      try (var manager = compiler.getStandardFileManager(errors, null, UTF_8)) {
        var units =
            manager.getJavaFileObjectsFromPaths(files.stream().map(sources::resolve).toList());
        done = compiler.getTask(null, manager, errors, options, null, units).call();
      }
      if (!done) {
        for (var error : errors.getDiagnostics()) {
          if (error.getKind() == Diagnostic.Kind.ERROR) {
            System.err.println(error);
          }
        }
        delete(to);
        throw new StopException(1, "gleaner test: " + owner.name + " does not compile");
      }
    }
  }

  /** What lab's POM copies from lua's tests. */
  private Path programs() throws IOException {
    Path to = work.resolve("lab/programs");
    Path folder = Files.createDirectories(to.resolve("dev/gleaner/lab/script/programs"));
    Set<Path> gone = new TreeSet<>(children(folder));
    for (Path program : children(root.resolve("lua/src/test/resources/programs"))) {
      Path copy = folder.resolve(program.getFileName());
      gone.remove(copy);
      if (program.toString().endsWith(".lua")
          && (!Files.exists(copy) || modified(copy) != modified(program))) {
        Files.copy(
            program, copy, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    for (Path copy : gone) {
      Files.delete(copy);
    }
    return to;
  }

  /** How a part was when it was compiled: its files, the other parts' classes, its own classes. */
  private record State(
      Map<String, String> stamps, Map<String, String> others, Map<String, String> interfaces) {
    static State read(Path file) throws IOException {
      State state = new State(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file)) {
          String[] fields = line.split("\t", -1);
          state.maps().get(Integer.parseInt(fields[0])).put(fields[1], fields[2]);
        }
      }
      return state;
    }

    private List<Map<String, String>> maps() {
      return List.of(stamps, others, interfaces);
    }

    void write(Path file) throws IOException {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < maps().size(); i++) {
        int map = i;
        maps().get(i).forEach((key, value) -> lines.add(map + "\t" + key + "\t" + value));
      }
      Files.write(file, lines);
    }
  }

  private static Set<String> different(Map<String, String> before, Map<String, String> now) {
    Set<String> keys = new TreeSet<>(before.keySet());
    keys.addAll(now.keySet());
    keys.removeIf(k -> Objects.equals(before.get(k), now.get(k)));
    return keys;
  }

  /** The last names of classes, without those that have none. */
  private static Set<String> simple(Set<String> classes) {
    Set<String> names = new TreeSet<>();
    for (String name : classes) {
      String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
      if (!last.isEmpty() && !Character.isDigit(last.charAt(0))) {
        names.add(last);
      }
    }
    return names;
  }

  /** What other files may notice of a class: all but code and private members. */
  private static final class Interface {
    private Interface() {}

    /** Two words: a digest, and the names of what the class extends. */
    static String of(ClassModel model) {
      List<String> above = new ArrayList<>();
      model.superclass().ifPresent(c -> above.add(c.asInternalName()));
      model.interfaces().forEach(c -> above.add(c.asInternalName()));
      List<String> lines = new ArrayList<>();
      lines.add(model.flags().flagsMask() + " " + above);
      model
          .findAttribute(Attributes.signature())
          .ifPresent(s -> lines.add(s.signature().stringValue()));
      model
          .findAttribute(Attributes.permittedSubclasses())
          .ifPresent(p ->
              p.permittedSubclasses().forEach(c -> lines.add("permits " + c.asInternalName())));
      model
          .findAttribute(Attributes.record())
          .ifPresent(r -> r.components().forEach(c -> lines.add(c.name() + " " + c.descriptor())));
      model
          .findAttribute(Attributes.innerClasses())
          .ifPresent(i ->
              i.classes().stream()
                  .filter(c -> c.innerClass().equals(model.thisClass()))
                  .forEach(c -> lines.add("inner " + c.flagsMask())));
      for (FieldModel field : model.fields()) {
        if (!field.flags().has(AccessFlag.PRIVATE)) {
          lines.add(
              field.fieldName()
                  + " "
                  + field.fieldType()
                  + " "
                  + field.flags().flagsMask()
                  + " "
                  + field
                      .findAttribute(Attributes.signature())
                      .map(s -> s.signature().stringValue())
                      .orElse("")
                  + field
                      .findAttribute(Attributes.constantValue())
                      .map(c -> " = " + c.constant().constantValue())
                      .orElse(""));
        }
      }
      for (MethodModel method : model.methods()) {
        if (!method.flags().has(AccessFlag.PRIVATE) && !method.flags().has(AccessFlag.SYNTHETIC)) {
          lines.add(
              method.methodName()
                  + " "
                  + method.methodType()
                  + " "
                  + method.flags().flagsMask()
                  + " "
                  + method
                      .findAttribute(Attributes.signature())
                      .map(s -> s.signature().stringValue())
                      .orElse("")
                  + method
                      .findAttribute(Attributes.exceptions())
                      .map(e ->
                          e.exceptions().stream().map(c -> c.asInternalName()).toList().toString())
                      .orElse("")
                  + method.findAttribute(Attributes.annotationDefault()).isPresent());
        }
      }
      lines.sort(null);
      try {
        byte[] digest =
            MessageDigest.getInstance("SHA-256").digest(String.join("\n", lines).getBytes(UTF_8));
        above.removeIf(n -> n.startsWith("java/"));
        return HexFormat.of().formatHex(digest, 0, 8) + " " + String.join(",", above);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static List<Path> classFiles(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(".class")).toList();
    }
  }

  private static String slashes(Path path) {
    return path.toString().replace(File.separatorChar, '/');
  }

  private static List<Path> children(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static List<Path> javaFiles(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(".java")).sorted().toList();
    }
  }

  private static String packageOf(Path file) throws IOException {
    Matcher line = PACKAGE.matcher(Files.readString(file));
    if (!line.find()) {
      throw wrong(file + " has no package");
    }
    return line.group(1);
  }

  private static long modified(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toMillis();
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
