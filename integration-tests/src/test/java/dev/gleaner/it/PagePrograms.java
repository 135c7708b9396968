package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Java programs on a page: compiled as they stand, without a warning. */
final class PagePrograms {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("public class (\\w+)");

  private PagePrograms() {}

  static List<String> of(String page) {
    return JAVA.matcher(page).results().map(r -> r.group(1)).toList();
  }

  /** Compiles a program into a folder; answers the name of its class. */
  static String compile(Path folder, String source) throws IOException {
    MatchResult name = CLASS.matcher(source).results().findFirst().orElseThrow();
    Path file = folder.resolve(name.group(1) + ".java");
    Files.writeString(file, source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-Xlint:all,-path", "-Werror", "-proc:none", "-d", folder.toString());
      boolean ok =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(file))
              .call();
      assertThat(ok).as("%s", messages).isTrue();
    }
    return name.group(1);
  }
}
