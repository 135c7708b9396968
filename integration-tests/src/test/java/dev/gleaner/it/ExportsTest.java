package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the modules export. */
class ExportsTest {
  private static final List<String> MODULES = List.of("api", "heap", "metrics", "lua");
  private static final Pattern EXPORT = Pattern.compile("(?m)^  exports ([\\w.]+);");

  private static final JavaClasses ALL = MainClasses.ALL;

  /** The packages that anybody may use. */
  private static Set<String> exported(Collection<String> modules) throws IOException {
    Set<String> packages = new TreeSet<>();
    for (String module : modules) {
      String text =
          Files.readString(Path.of("..", module, "src", "main", "module", "module-info.java"));
      Matcher m = EXPORT.matcher(text);
      while (m.find()) {
        packages.add(m.group(1));
      }
    }
    return packages;
  }

  private static List<JavaClass> types(Set<String> packages) {
    return ALL.stream().filter(c -> packages.contains(c.getPackageName()) && isVisible(c)).toList();
  }

  private static boolean isVisible(JavaClass c) {
    return isVisible(c.getModifiers())
        && c.getEnclosingClass().map(ExportsTest::isVisible).orElse(true);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** The project's types that the visible part of a type names. */
  private static Set<JavaClass> named(JavaClass c) {
    Stream<JavaType> above = Stream.concat(c.getSuperclass().stream(), c.getInterfaces().stream());
    Stream<JavaType> members =
        c.getMembers().stream()
            .filter(m ->
                isVisible(m.getModifiers()) && !m.getModifiers().contains(JavaModifier.SYNTHETIC))
            .flatMap(ExportsTest::named);
    return Stream.concat(above, members)
        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
        .map(JavaClass::getBaseComponentType)
        .filter(type -> type.getPackageName().startsWith("dev.gleaner"))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** One that a file was split by: its members are those of the class. */
  private static boolean isSuperclass(JavaClass above, JavaClass c) {
    return c.getRawSuperclass().filter(above::equals).isPresent();
  }

  private static Stream<JavaType> named(JavaMember member) {
    return switch (member) {
      case JavaField field -> Stream.of(field.getType());
      case JavaCodeUnit code ->
          Stream.of(
                  Stream.of(code.getReturnType()),
                  code.getParameterTypes().stream(),
                  code.getExceptionTypes().stream())
              .flatMap(s -> s);
      default -> Stream.of();
    };
  }

  @Test
  void anExportedTypeNamesExportedTypesAlone() throws IOException {
    Set<String> packages = exported(MODULES);
    List<String> wrong =
        types(packages).stream()
            .flatMap(c ->
                named(c).stream()
                    .filter(n ->
                        !packages.contains(n.getPackageName())
                            || (!isVisible(n) && !isSuperclass(n, c)))
                    .map(n -> c.getName() + " names " + n.getName()))
            .toList();
    assertThat(wrong).isEmpty();
  }

  @Test
  void noFieldThatCanBeSetIsPublic() throws IOException {
    List<String> wrong =
        types(exported(MODULES)).stream()
            .flatMap(c -> c.getFields().stream())
            .filter(f ->
                f.getModifiers().contains(JavaModifier.PUBLIC)
                    && !f.getModifiers().contains(JavaModifier.FINAL))
            .map(JavaField::getFullName)
            .toList();
    assertThat(wrong).isEmpty();
  }

  /** The types of the heap, and those that these lead to. */
  @Test
  void theAuthorOfARuntimeSeesFewTypes() throws IOException {
    Set<JavaClass> seen = new LinkedHashSet<>(types(exported(List.of("heap"))));
    Deque<JavaClass> left = new ArrayDeque<>(seen);
    while (!left.isEmpty()) {
      for (JavaClass next : named(left.remove())) {
        if (seen.add(next)) {
          left.add(next);
        }
      }
    }
    assertThat(seen.stream().filter(JavaClass::isTopLevelClass)).hasSizeLessThanOrEqualTo(60);
  }

  /**
   * What can be called is what {@code public-api.txt} says, until there is a release to compare
   * with. {@code -Dgleaner.test.api=write} writes the file.
   */
  @Test
  void signaturesChangeOnPurposeAlone() throws IOException {
    Path file = Path.of("src", "test", "resources", "public-api.txt");
    List<String> now =
        types(exported(MODULES)).stream().flatMap(ExportsTest::signatures).sorted().toList();
    if (System.getProperty("gleaner.test.api", "").equals("write")) {
      Files.write(file, now);
    }
    assertThat(now)
        .as("the public API; CONTRIBUTING.md says how to write the file anew")
        .isEqualTo(Files.readAllLines(file));
  }

  private static Stream<String> signatures(JavaClass c) {
    Class<?> type = c.reflect();
    Stream<Executable> calls =
        Stream.concat(
            Stream.of(type.getDeclaredConstructors()), Stream.of(type.getDeclaredMethods()));
    Stream<String> members =
        Stream.concat(
            calls.filter(e -> isCallable(e) && !e.isSynthetic()).map(Executable::toGenericString),
            Stream.of(type.getDeclaredFields())
                .filter(ExportsTest::isCallable)
                .map(Field::toGenericString));
    return Stream.concat(Stream.of(type.toGenericString()), members);
  }

  private static boolean isCallable(Member member) {
    return Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers());
  }
}
