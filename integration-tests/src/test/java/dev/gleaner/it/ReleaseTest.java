package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What is published: the POMs as Central gets them, and the jars that go with them. */
class ReleaseTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")), "..")
          .toAbsolutePath()
          .normalize();

  /** A POM, asked by XPath with plain names, as it has one namespace only. */
  private record Pom(Document xml) {
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    static Pom of(Path file) throws Exception {
      return new Pom(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
    }

    String text(String path) throws Exception {
      return XPATH.evaluate(path, xml).strip();
    }

    List<String> texts(String path) throws Exception {
      NodeList nodes = (NodeList) XPATH.evaluate(path, xml, XPathConstants.NODESET);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < nodes.getLength(); i++) {
        texts.add(nodes.item(i).getTextContent().strip());
      }
      return texts;
    }
  }

  /** The folders of what is published: all modules but those that are not deployed. */
  static List<String> published() throws Exception {
    List<String> folders = new ArrayList<>();
    for (String module : Pom.of(ROOT.resolve("pom.xml")).texts("/project/modules/module")) {
      Pom pom = Pom.of(ROOT.resolve(module).resolve("pom.xml"));
      if (!pom.text("/project/properties/maven.deploy.skip").equals("true")) {
        folders.add(module);
      }
    }
    return folders;
  }

  private static List<String> publishedAndParent() throws Exception {
    return Stream.concat(Stream.of("."), published().stream()).toList();
  }

  /** The POM that is deployed in place of {@code pom.xml}. */
  private static Pom flattened(String folder) throws Exception {
    return Pom.of(ROOT.resolve(folder).resolve(".flattened-pom.xml"));
  }

  @ParameterizedTest
  @MethodSource("publishedAndParent")
  void hasWhatCentralAsksFor(String folder) throws Exception {
    Pom pom = flattened(folder);
    for (String needed :
        List.of(
            "groupId",
            "artifactId",
            "version",
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      assertThat(pom.text("/project/" + needed)).as("%s of %s", needed, folder).isNotEmpty();
    }
    assertThat(pom.text("/project/groupId")).isEqualTo("dev.gleaner");
    assertThat(pom.text("/project/licenses/license/name")).isEqualTo("Apache-2.0");
  }

  /** What a program resolves is all in the file: nothing is looked up elsewhere, or unreleased. */
  @ParameterizedTest
  @MethodSource("publishedAndParent")
  void standsAlone(String folder) throws Exception {
    Pom pom = flattened(folder);
    String version = pom.text("/project/version");
    for (String part :
        List.of("parent", "build", "modules", "profiles", "repositories", "properties")) {
      assertThat(pom.texts("/project/" + part)).as("%s of %s", part, folder).isEmpty();
    }
    for (String dependency : List.of("dependencies", "dependencyManagement/dependencies")) {
      String path = "/project/" + dependency + "/dependency";
      assertThat(pom.texts(path + "[not(version)]")).isEmpty();
      assertThat(pom.texts(path + "[scope='test' or scope='system']")).isEmpty();
      assertThat(pom.texts(path + "[groupId='dev.gleaner']/version"))
          .allSatisfy(v -> assertThat(v).isIn(version, "${project.version}"));
      assertThat(pom.texts(path + "[groupId!='dev.gleaner']/version"))
          .noneMatch(v -> v.endsWith("-SNAPSHOT") || v.contains("$") || v.matches("[\\[(].*"));
    }
  }

  @Test
  void theBomNamesAllThatIsPublished() throws Exception {
    List<String> modules = new ArrayList<>(published());
    assertThat(modules.remove("bom")).isTrue();
    String managed =
        "/project/dependencyManagement/dependencies/dependency"
            + "[groupId='dev.gleaner' and not(type='test-jar')]/artifactId";
    List<String> artifacts = modules.stream().map(m -> "gleaner-" + m).toList();
    assertThat(flattened("bom").texts(managed)).containsExactlyInAnyOrderElementsOf(artifacts);
    assertThat(Pom.of(ROOT.resolve("pom.xml")).texts(managed))
        .containsExactlyInAnyOrderElementsOf(artifacts);
    assertThat(artifacts)
        .containsAll(
            Installed.collectors().stream().map(name -> "gleaner-collector-" + name).toList());
  }

  /** Under {@code mvn verify}, which packs all of them before these tests run. */
  @Test
  @Tag("exhaustive")
  void jarsComeWithSourcesDocsAndLicence() throws Exception {
    PluginJar.published();
    for (String folder : published()) {
      if (folder.equals("bom")) {
        continue;
      }
      Path target = ROOT.resolve(folder).resolve("target");
      Path jar = target.resolve(jar(folder, ""));
      for (String name : List.of(jar(folder, "-sources"), jar(folder, "-javadoc"))) {
        assertThat(target.resolve(name)).isNotEmptyFile();
      }
      try (var files = FileSystems.newFileSystem(jar)) {
        assertThat(Files.readString(files.getPath("META-INF/LICENSE")))
            .contains("Apache License", "Version 2.0, January 2004");
        assertThat(files.getPath("META-INF/NOTICE")).isNotEmptyFile();
      }
    }
  }

  private static String jar(String folder, String classifier) throws Exception {
    Pom pom = flattened(folder);
    // The command line's has a fixed name, for the launcher.
    String version = folder.equals("lab") ? "" : "-" + pom.text("/project/version");
    return pom.text("/project/artifactId") + version + classifier + ".jar";
  }

  /** From the second release on there is something to compare the public API with. */
  @Test
  void theApiIsComparedOnceThereIsARelease() throws Exception {
    Pom pom = Pom.of(ROOT.resolve("pom.xml"));
    boolean skipped = pom.text("/project/properties/japicmp.skip").equals("true");
    assertThat(skipped).isEqualTo(pom.text("/project/version").startsWith("0.1.0"));
  }
}
