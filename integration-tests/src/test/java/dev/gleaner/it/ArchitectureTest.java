package dev.gleaner.it;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.config.CollectorRegistry.Plugin;
import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Test;

/** Who may know whom. */
class ArchitectureTest {
  private static final String SETTINGS_PACKAGE = "dev.gleaner.settings..";
  private static final String HEAP = "dev.gleaner.heap..";
  private static final String SPI = "dev.gleaner.spi..";
  private static final String SNAPSHOT = "dev.gleaner.snapshot..";
  private static final String CONFIG = "dev.gleaner.config..";
  private static final String METRICS = "dev.gleaner.metrics..";
  private static final String GUICE = "dev.gleaner.guice..";
  private static final String TRACE = "dev.gleaner.trace..";
  private static final String COLLECTORS = "dev.gleaner.collector..";
  private static final String KIT = "dev.gleaner.kit..";
  private static final String KIT_COLLECTORS = "dev.gleaner.kit.collector..";
  private static final String ORACLE = "dev.gleaner.kit.oracle..";
  private static final String LAB = "dev.gleaner.lab..";

  /** The packages of api, heap and metrics; each knows those before it alone. */
  private static final List<String> LAYERS =
      Stream.of(
              "refusal memory util layout settings space weak frame spi mark count".split(" "),
              "text trace table parts inspect snapshot image heap config metrics".split(" "))
          .flatMap(Stream::of)
          .map(name -> "dev.gleaner." + name + "..")
          .toList();

  private static final String[] API =
      Stream.concat(LAYERS.stream(), Stream.of("dev.gleaner")).toArray(String[]::new);

  /** Building blocks, which know no heap. */
  private static final String[] PARTS =
      LAYERS.subList(0, LAYERS.indexOf("dev.gleaner.snapshot..")).stream()
          .filter(p -> !p.equals(SETTINGS_PACKAGE) && !p.equals(TRACE))
          .toArray(String[]::new);

  /** The packages whose code runs per operation. */
  private static final String[] HOT =
      Stream.concat(Stream.of(PARTS), Stream.of(HEAP)).toArray(String[]::new);

  private static final JavaClasses ALL = MainClasses.ALL;

  /** The settings, plain records, which every package may read. */
  private static final DescribedPredicate<JavaClass> SETTINGS =
      resideInAPackage(SETTINGS_PACKAGE)
          .and(simpleNameEndingWith("Settings").or(simpleName("Backing")));

  /** From a collector's name to its package. */
  private static Map<String, String> collectors() {
    return CollectorRegistry.discover(List.of()).plugins().stream()
        .collect(Collectors.toMap(Plugin::name, p -> p.provider().getClass().getPackageName()));
  }

  private static void check(ArchRule rule) {
    rule.check(ALL);
  }

  @Test
  void everyModuleIsLookedAt() {
    List<String> packages = new ArrayList<>(List.of(API));
    packages.addAll(List.of(KIT, KIT_COLLECTORS, LAB));
    collectors().values().forEach(packages::add);
    for (String p : packages) {
      assertThat(ALL.that(resideInAPackage(p))).as(p).isNotEmpty();
    }
    assertThat(ALL.contain(ArchitectureTest.class)).isFalse();
  }

  @Test
  void aLayerKnowsThoseBelowItAlone() {
    for (int i = 0; i < LAYERS.size(); i++) {
      List<String> above = new ArrayList<>(LAYERS.subList(i + 1, LAYERS.size()));
      above.add("dev.gleaner");
      check(
          noClasses()
              .that()
              .resideInAPackage(LAYERS.get(i))
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(above.toArray(String[]::new)));
    }
  }

  /** So that a name in a message or a page means one class; a language has names of its own. */
  @Test
  void noTwoClassesHaveOneName() {
    Map<String, List<String>> byName =
        ALL.stream()
            .filter(c -> c.isTopLevelClass() && !c.getSimpleName().endsWith("-info"))
            .collect(
                Collectors.groupingBy(
                    c -> c.getPackageName().startsWith("dev.gleaner.lua") + c.getSimpleName(),
                    Collectors.mapping(JavaClass::getName, Collectors.toList())));
    assertThat(byName.values()).allSatisfy(names -> assertThat(names).hasSize(1));
  }

  @Test
  void apiKnowsNeitherCollectorsNorKitNorLab() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(API)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(COLLECTORS, KIT, LAB));
    check(
        noClasses()
            .that()
            .resideInAPackage(COLLECTORS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(KIT));
  }

  @Test
  void labIsNoDependencyOfAnything() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(LAB)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(LAB));
  }

  /** So there can be no {@code instanceof} of a collector, either. */
  @Test
  void nobodyKnowsACollector() {
    for (String p : collectors().values()) {
      check(
          noClasses()
              .that()
              .resideOutsideOfPackages(p)
              .should()
              .dependOnClassesThat()
              .resideInAPackage(p)
              .as("nobody depends on " + p));
    }
  }

  /** Nobody can compare a name with a collector's who has no such constant. */
  @Test
  void aCollectorsNameIsAConstantOfItsModuleOnly() throws IOException {
    Map<String, String> collectors = collectors();
    List<String> found = new ArrayList<>();
    for (JavaClass c : ALL) {
      String file = "/" + c.getName().replace('.', '/') + ".class";
      try (InputStream in = ArchitectureTest.class.getResourceAsStream(file)) {
        for (PoolEntry entry : ClassFile.of().parse(in.readAllBytes()).constantPool()) {
          if (entry instanceof StringEntry s && collectors.containsKey(s.stringValue())) {
            found.add(c.getName() + ": " + s.stringValue());
          }
        }
      }
    }
    for (Map.Entry<String, String> collector : collectors.entrySet()) {
      assertThat(found).anyMatch(f -> f.startsWith(collector.getValue() + "."));
      found.removeIf(f -> f.startsWith(collector.getValue() + "."));
    }
    assertThat(found).isEmpty();
  }

  /** JUnit is there for the abstract test class alone. */
  @Test
  void theKitRunsWithoutJUnit() {
    check(
        noClasses()
            .that()
            .resideInAPackage(KIT)
            .and()
            .doNotHaveSimpleName("CollectorConformance")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.junit..", "org.opentest4j.."));
  }

  /** What scenarios and random programs do, any program can do. */
  @Test
  void programsOfTheKitUseThePublicApiOnly() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("dev.gleaner.kit.scenario", "dev.gleaner.kit.oracle")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(PARTS)
                    .and(not(resideInAPackage("dev.gleaner.refusal")))
                    .and(not(simpleNameStartingWith("AllocationF")))
                    .and(not(simpleName("BlockPointer")))
                    .and(not(simpleName("Capability")))
                    .and(not(simpleName("CollectFlags")))
                    .and(not(simpleName("Cause")))
                    .and(not(simpleName("CollectorTraits")))
                    .and(not(simpleName("Kind")))
                    .and(not(simpleName("Values")))
                    .and(not(simpleName("ValueType")))));
  }

  @Test
  void theOnlyPublicClassOfACollectorIsItsProvider() {
    check(
        classes()
            .that()
            .resideInAPackage(COLLECTORS)
            .and()
            .arePublic()
            .should()
            .implement(CollectorProvider.class));
  }

  /**
   * A collector has what its context gives it; a provider reads its settings from a {@code
   * Section}.
   */
  @Test
  void aCollectorKnowsOnlyTheSpiAndItsParts() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(COLLECTORS, KIT_COLLECTORS)
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("dev.gleaner", CONFIG, SETTINGS_PACKAGE, METRICS)
                    .and(not(SETTINGS))
                    .and(not(simpleName("Section")))));
    check(
        noClasses()
            .that()
            .resideInAnyPackage(COLLECTORS, KIT_COLLECTORS)
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.gleaner.heap.Heap")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.gleaner.heap.Mutator"));
  }

  /** The SPI names Guice's Module where a provider answers one; a provider makes it. */
  @Test
  void guiceIsSeenAtStartOnly() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .or()
            .resideInAnyPackage(METRICS, SNAPSHOT, COLLECTORS, KIT, LAB)
            .and()
            .areNotAssignableTo(CollectorProvider.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.google..", "jakarta.inject..", "javax.inject.."));
  }

  /** The module for programs stands above all; nobody else loads it. */
  @Test
  void theModuleForProgramsIsKnownByNobody() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(GUICE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(GUICE));
  }

  @Test
  void configIsSeenAtStartOnly() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .or()
            .resideInAnyPackage(METRICS, SNAPSHOT, COLLECTORS, KIT_COLLECTORS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.typesafe.."));
  }

  /** And by the model that checks the meters. */
  @Test
  void micrometerIsSeenByMetersAndLabOnly() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(METRICS, GUICE, LAB, ORACLE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer.."));
  }

  /** By itself, or as the rest of its package. */
  @Test
  void everyPublicTypeSaysWhatMayChange() {
    check(
        classes()
            .that()
            .arePublic()
            .and()
            .areTopLevelClasses()
            .and()
            .resideOutsideOfPackage("dev.gleaner.testing..")
            .should()
            .beAnnotatedWith(API.class)
            .orShould(
                ArchCondition.from(
                    DescribedPredicate.describe(
                        "be in a package that is",
                        c -> c.getPackage().isAnnotatedWith(API.class)))));
  }

  /** The settings are plain records; {@code Section} is what a provider reads its own from. */
  @Test
  void whatRunsPerOperationKnowsOfConfigurationOnlySettings() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .and()
            .doNotHaveSimpleName("CollectorSettings")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("dev.gleaner", CONFIG, SETTINGS_PACKAGE, METRICS)
                    .and(not(SETTINGS))));
  }

  /** A heap is chosen parts; parts do not know heaps. */
  @Test
  void partsKnowNoHeap() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PARTS)
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.gleaner.heap.Heap")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("dev.gleaner.heap.Mutator"));
  }

  /**
   * {@code CollectorTraits} and {@code Capability} are read at the start, and in messages; {@code
   * Heap} hands the stream of a snapshot on; several threads mark by {@code SharedWindows}.
   */
  @Test
  void whatRunsPerOperationNeitherStreamsNorLogsNorReflects() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .and()
            .doNotHaveSimpleName("CollectorTraits")
            .and()
            .doNotHaveFullyQualifiedName("dev.gleaner.heap.HeapImage")
            .and()
            .doNotHaveFullyQualifiedName("dev.gleaner.mark.SharedWindows")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "java.util.stream..",
                "java.util.logging..",
                "java.lang.reflect..",
                "java.util.concurrent..",
                "java.nio.file..",
                "java.time..",
                "org.slf4j.."));
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .and()
            .doNotHaveFullyQualifiedName("dev.gleaner.heap.HeapInspection")
            .and()
            .doNotHaveFullyQualifiedName("dev.gleaner.heap.HeapImage")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.io.."));
  }

  /** A recorder knows the format; a file is read without a heap. */
  @Test
  void tracesKnowNoHeap() {
    check(
        noClasses()
            .that()
            .resideInAPackage(TRACE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                HEAP,
                SPI,
                "dev.gleaner.space..",
                "dev.gleaner.table..",
                "dev.gleaner.weak..",
                CONFIG,
                METRICS));
  }

  /** What finalizers and callbacks throw is logged, and what has leaked. */
  @Test
  void theLogIsTheOnlyOneThatLogs() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(HOT)
            .and()
            .doNotHaveSimpleName("BoundedLog")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("java\\.lang\\.System\\$Logger.*"));
  }
}
