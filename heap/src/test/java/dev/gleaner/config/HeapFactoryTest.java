package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapListenerProvider;
import dev.gleaner.memory.Memory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.WriteBarrier;
import dev.gleaner.testing.LeakingCollector;
import dev.gleaner.testing.TestProviders;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the factory to an open heap. */
class HeapFactoryTest {

  @TempDir Path folder;

  private HeapFactory factory() throws IOException {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner.collector = plain"),
        List.of(TestProviders.loader(folder)));
  }

  @Test
  void opensHeapsUnderNamesOfTheirOwn() throws IOException {
    HeapFactory factory = factory();
    try (Heap a = factory.open();
        Heap b = factory.open();
        Heap c = factory.open("mine")) {
      assertThat(a.name()).matches("heap-\\d+").isNotEqualTo(b.name());
      assertThat(c.name()).isEqualTo("mine");
      assertThat(c.collector()).isEqualTo("plain");
      assertThat(c.traits()).isSameAs(factory.traits());
    }
  }

  /** Address space is all that a reserved memory takes before it is used. */
  @Test
  void aCollectorThatCannotBeMadeKeepsNoMemory() throws IOException {
    Path pages = Path.of("/proc/self/statm");
    assumeTrue(Memory.canReserve() && Files.exists(pages));
    HeapSettings settings = ((DefaultHeapFactory) factory()).settings();
    long before = Long.parseLong(Files.readString(pages).split(" ", 2)[0]);
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() ->
              new DefaultHeapFactory(
                      settings,
                      CollectorTraits.of(),
                      context -> {
                        throw new NoClassDefFoundError("third/Missing");
                      },
                      null)
                  .open("broken"))
          .isInstanceOf(NoClassDefFoundError.class);
    }
    long after = Long.parseLong(Files.readString(pages).split(" ", 2)[0]);
    assertThat(after - before).isLessThan(25 * settings.memory().max() / 4096);
  }

  /** What is named is what the mutator does; a collector that says otherwise gets no heap. */
  @Test
  void aCollectorDoesWhatItsBarriersSay() throws IOException {
    HeapSettings settings = ((DefaultHeapFactory) factory()).settings();
    for (WriteBarrier barrier : List.of(WriteBarrier.COUNTING, WriteBarrier.FRAMES)) {
      String method = barrier == WriteBarrier.COUNTING ? "counts()" : "frames()";
      assertThatThrownBy(() ->
              new DefaultHeapFactory(
                      settings,
                      CollectorTraits.of().withBarriers(barrier),
                      LeakingCollector::new,
                      null)
                  .open("h"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("collector plain")
          .hasMessageContaining("[" + barrier + "]")
          .hasMessageContaining(method + " answers null");
    }
    assertThatThrownBy(() ->
            new DefaultHeapFactory(
                    settings,
                    CollectorTraits.of(),
                    context -> {
                      context.setBarrier(true);
                      return new LeakingCollector(context);
                    },
                    null)
                .open("h"))
        .hasMessageContaining("[none], so it cannot turn on snapshot");
  }

  @Test
  void aProviderOfListenersThatThrowsGivesNone() {
    HeapListenerProvider broken =
        () -> {
          throw new NoClassDefFoundError("third/Missing");
        };
    assertThat(DefaultHeapFactory.listener(broken)).isNull();
  }

  /** What a library user's program is: a JVM without any flag of ours. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      HeapFactory factory = Gleaner.factory(ConfigFactory.load());
      try (Heap heap = factory.open()) {
        heap.mutator().enter(1);
        heap.mutator().newRecord(0, 2);
        heap.mutator().leave();
        heap.collect();
        System.out.println(heap.statistics().allocatedElements() > 0 ? "used" : "not used");
      }
    }
  }

  /** Runs the program; returns what it printed after asserting that all went well and silently. */
  private String run(String... flags) throws IOException, InterruptedException {
    TestProviders.writeServices(folder, TestProviders.Plain.class.getName());
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of(flags));
    command.add("-cp");
    command.add(System.getProperty("java.class.path") + File.pathSeparator + folder);
    command.add("-Dgleaner.collector=plain");
    command.add(Program.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("JAVA_TOOL") || name.startsWith("JDK_JAVA"));
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(err)).isEmpty();
    assertThat(process.exitValue()).isZero();
    return Files.readString(out).strip();
  }

  @Test
  void aPlainJvmPrintsNothing() throws Exception {
    assertThat(run()).isEqualTo("used");
  }

  @Test
  void loadsNoMoreThanItNeeds() throws Exception {
    Path log = folder.resolve("classes.log");
    assertThat(run("-Xlog:class+load:file=" + log)).isEqualTo("used");
    List<String> loaded = Files.readAllLines(log);
    assertThat(loaded.stream().anyMatch(l -> l.contains(" dev.gleaner.heap.Mutator "))).isTrue();
    Pattern needless = Pattern.compile("jdk.jfr.Event |ByGuice|io.micrometer.core");
    assertThat(loaded.stream().filter(l -> needless.matcher(l).find())).isEmpty();
  }
}
