package dev.gleaner.lab;

import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioSyntaxException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads scenarios from files; a directory stands for its {@code *.heap} files, by name, and {@code
 * -} for the standard input.
 */
final class ScenarioFiles {
  private static final String STANDARD_INPUT = "-";

  private final List<Scenario> scenarios = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private ScenarioFiles() {}

  /**
   * Reads all of them.
   *
   * @throws RequestException listing the first problem of each file that cannot be used
   */
  static List<Scenario> read(List<Path> paths) {
    ScenarioFiles files = new ScenarioFiles();
    paths.forEach(files::add);
    if (!files.problems.isEmpty()) {
      throw new RequestException(String.join("\n", files.problems));
    }
    return files.scenarios;
  }

  private void add(Path path) {
    try {
      if (!Files.isDirectory(path)) {
        readFile(path);
        return;
      }
      List<Path> inside = new ArrayList<>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(path, "*.heap")) {
        stream.forEach(inside::add);
      }
      if (inside.isEmpty()) {
        problems.add(path + ": there is no *.heap file in this directory");
      }
      Collections.sort(inside);
      for (Path file : inside) {
        readFile(file);
      }
    } catch (IOException e) {
      problems.add(path + ": this directory cannot be read: " + e);
    }
  }

  private void readFile(Path file) {
    try {
      scenarios.add(
          file.toString().equals(STANDARD_INPUT)
              ? Scenario.read(STANDARD_INPUT, System.in)
              : Scenario.read(file));
    } catch (ScenarioSyntaxException e) {
      problems.add(e.getMessage());
    } catch (IOException e) {
      problems.add(
          Files.exists(file)
              ? file + ": this file cannot be read: " + e
              : file + ": there is no such file or directory");
    }
  }
}
