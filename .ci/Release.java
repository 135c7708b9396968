import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Packs the command line for machines that have a JDK 25 and nothing else:
 *
 * <pre>
 *   gleaner-VERSION/
 *     gleaner, gleaner.cmd      launchers for Unix and Windows
 *     gleaner-lab.jar, lib/     the program, the collectors, their dependencies
 *     docs/, README.md, …       the pages
 *     licenses/                 the text of each dependency's licence
 *     sbom.json                 what is in it, as CycloneDX
 *     SHA256SUMS                of every file
 * </pre>
 *
 * <p>Called by {@code ./gleaner release}: {@code java .ci/Release.java ROOT VERSION TO [SBOM]}.
 */
final class Release {
  private static final Pattern LICENSE = Pattern.compile("(META-INF/)?LICENSE(\\.txt|\\.md)?");
  private static final Pattern NOTICE = Pattern.compile("META-INF/NOTICE(\\.txt|\\.md)?");

  /** All files have this time, so that the same sources make the same archive. */
  private static final FileTime TIME = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));

  private final Path root;
  private final Map<String, byte[]> files = new TreeMap<>();

  private Release(Path root) {
    this.root = root;
  }

  public static void main(String... arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    String name = "gleaner-" + arguments[1];
    Path to = Path.of(arguments[2]);
    Release release = new Release(root);
    release.program();
    release.pages();
    if (arguments.length > 3) {
      release.add("sbom.json", Path.of(arguments[3]));
    }
    release.licenses();
    release.sums();
    Files.createDirectories(to);
    Path archive = to.resolve(name + ".zip");
    release.write(archive, name);
    Files.writeString(
        to.resolve(name + ".zip.sha256"),
        sum(Files.readAllBytes(archive)) + "  " + name + ".zip\n");
    System.out.println(archive);
  }

  private void add(String name, Path file) {
    try {
      files.put(name, Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void addAll(String folder, Path from, Pattern names) throws IOException {
    try (Stream<Path> found = Files.list(from)) {
      found
          .filter(Files::isRegularFile)
          .filter(file -> names.matcher(file.getFileName().toString()).matches())
          .forEach(file -> add(folder + file.getFileName(), file));
    }
  }

  private void program() throws IOException {
    add("gleaner", root.resolve("gleaner"));
    String script = Files.readString(root.resolve(".ci/gleaner.cmd"));
    files.put("gleaner.cmd", script.replace("\n", "\r\n").getBytes());
    add("gleaner-lab.jar", root.resolve("lab/target/gleaner-lab.jar"));
    addAll("lib/", root.resolve("lab/target/lib"), Pattern.compile(".*\\.jar"));
  }

  private void pages() throws IOException {
    for (String page : List.of("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md")) {
      add(page, root.resolve(page));
    }
    add("CONTRIBUTING.md", root.resolve("CONTRIBUTING.md"));
    Path docs = root.resolve("docs");
    try (Stream<Path> found = Files.walk(docs)) {
      found
          .filter(file -> file.toString().matches(".*\\.(md|svg|json)"))
          .forEach(
              file -> add("docs/" + docs.relativize(file).toString().replace('\\', '/'), file));
    }
  }

  /** From the jars, or where a jar has none, from {@code .ci/licenses}. */
  private void licenses() throws IOException {
    List<String> apache = Files.readAllLines(root.resolve(".ci/licenses/apache"));
    for (String jar : List.copyOf(files.keySet())) {
      if (!jar.startsWith("lib/") || jar.startsWith("lib/gleaner-")) {
        continue;
      }
      String artifact = jar.substring(4).replaceFirst("-\\d.*", "");
      boolean found = false;
      try (ZipFile zip = new ZipFile(root.resolve("lab/target").resolve(jar).toFile())) {
        for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
          boolean license = LICENSE.matcher(entry.getName()).matches();
          if (license || NOTICE.matcher(entry.getName()).matches()) {
            try (InputStream in = zip.getInputStream(entry)) {
              String kind = license ? ".txt" : ".notice.txt";
              files.put("licenses/" + artifact + kind, in.readAllBytes());
            }
            found |= license;
          }
        }
      }
      if (!found) {
        Path own =
            root.resolve(".ci/licenses/" + artifact.replaceFirst("^jline-.*", "jline") + ".txt");
        if (apache.stream().anyMatch(artifact::startsWith)) {
          add("licenses/" + artifact + ".txt", root.resolve("LICENSE"));
        } else if (Files.exists(own)) {
          add("licenses/" + artifact + ".txt", own);
        } else {
          throw new IllegalStateException(
              jar + " has no text of its licence, and .ci/licenses has none for it");
        }
      }
    }
  }

  private void sums() {
    StringBuilder sums = new StringBuilder();
    files.forEach((name, bytes) -> sums.append(sum(bytes)).append("  ").append(name).append('\n'));
    files.put("SHA256SUMS", sums.toString().getBytes());
  }

  private static String sum(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(Path archive, String name) throws IOException {
    Files.deleteIfExists(archive);
    Map<String, Object> options = Map.of("create", "true", "enablePosixFileAttributes", true);
    URI uri = URI.create("jar:" + archive.toUri());
    try (FileSystem zip = FileSystems.newFileSystem(uri, options)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Path to = zip.getPath(name, file.getKey());
        Files.createDirectories(to.getParent());
        Files.write(to, file.getValue());
        String mode = file.getKey().equals("gleaner") ? "rwxr-xr-x" : "rw-r--r--";
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString(mode));
        Files.setLastModifiedTime(to, TIME);
      }
      try (Stream<Path> made = Files.walk(zip.getPath(name))) {
        for (Path folder : made.filter(Files::isDirectory).toList()) {
          Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
          Files.setLastModifiedTime(folder, TIME);
        }
      }
    }
  }
}
