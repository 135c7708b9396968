package dev.gleaner.testing;

import dev.gleaner.settings.Section;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Collectors for tests, and loaders that find just those that a test wants. */
public final class TestProviders {

  private TestProviders() {}

  /** Words of a setting. */
  public enum Mode {
    FAST,
    VERY_SLOW
  }

  /** No settings of its own. */
  public static final class Plain implements CollectorProvider {
    @Override
    public String name() {
      return "plain";
    }

    @Override
    public String description() {
      return "leaks";
    }

    @Override
    public CollectorTraits traits(CollectorSettings settings) {
      return CollectorTraits.of();
    }

    @Override
    public CollectorFactory factory(CollectorSettings settings) {
      return leaking();
    }
  }

  /** Every sort of setting; one of them adds a capability. */
  public static final class Rich implements CollectorProvider {
    @Override
    public String name() {
      return "rich";
    }

    @Override
    public String description() {
      return "leaks in style";
    }

    @Override
    public CollectorTraits traits(CollectorSettings settings) {
      CollectorTraits traits = CollectorTraits.of(Capability.INCREMENTAL);
      return settings.own().onOff("cycles") ? traits.with(Capability.CYCLES) : traits;
    }

    @Override
    public CollectorFactory factory(CollectorSettings settings) {
      Section own = settings.own();
      own.word("mode", Mode.class);
      own.bytes("chunk", 1024, 1 << 20);
      own.section("inner").integer("depth", 1, 9);
      own.text("label");
      return leaking();
    }
  }

  /** A second one that calls itself plain. */
  public static final class Plain2 implements CollectorProvider {
    @Override
    public String name() {
      return "plain";
    }

    @Override
    public String description() {
      return "";
    }

    @Override
    public CollectorTraits traits(CollectorSettings settings) {
      return CollectorTraits.of();
    }

    @Override
    public CollectorFactory factory(CollectorSettings settings) {
      return leaking();
    }
  }

  static final String RICH_REFERENCE =
      """
      gleaner.collectors.rich {
        mode = fast
        chunk = 64KiB
        cycles = off
        label = "a label"
        inner { depth = 3 }
        voluntary.mult = 50
      }
      """;

  private static CollectorFactory leaking() {
    return LeakingCollector::new;
  }

  /** Returns a loader that leads to Plain and Rich. */
  public static ClassLoader loader(Path folder) throws IOException {
    return loader(folder, RICH_REFERENCE, Plain.class.getName(), Rich.class.getName());
  }

  /** Returns a loader whose services file has these lines, over the tests' own. */
  public static ClassLoader loader(Path folder, String reference, String... lines)
      throws IOException {
    writeServices(folder, lines);
    Files.writeString(folder.resolve("reference.conf"), reference);
    return new URLClassLoader(
        new URL[] {folder.toUri().toURL()}, TestProviders.class.getClassLoader());
  }

  public static void writeServices(Path folder, String... lines) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(CollectorProvider.class.getName()), String.join("\n", lines) + "\n");
  }
}
