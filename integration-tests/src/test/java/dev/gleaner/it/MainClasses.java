package dev.gleaner.it;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.regex.Pattern;

/** All classes of the modules but those of tests, read once in a JVM: that takes some seconds. */
final class MainClasses {
  /** Where {@code ./gleaner test} has classes of tests. */
  private static final Pattern TEST_COMMAND =
      Pattern.compile(".*/target/test-command/[^/]+/(tests|shared)/.*");

  static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .withImportOption(location -> !location.matches(TEST_COMMAND))
          .importPackages("dev.gleaner");

  private MainClasses() {}
}
