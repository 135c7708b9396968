package dev.gleaner.collector.framestack;

import dev.gleaner.memory.Memory;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorProvider;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The same collector under the name {@code watched}: a test can look into the one made last. */
public final class WatchedProvider implements CollectorProvider {
  private static final FramePolicy POLICY =
      new FramePolicy(
          FramePolicy.Mode.FRAMES, 1 << 20, 64, FramePolicy.OnLeave.FINISH, 4 << 10, 1 << 16, 0, 0);

  private static @Nullable FrameStackCollector last;
  private static @Nullable Memory lastMemory;

  /** Is made by the service loader. */
  public WatchedProvider() {}

  static FrameStackCollector last() {
    return Objects.requireNonNull(last);
  }

  static Memory memory() {
    return Objects.requireNonNull(lastMemory);
  }

  @Override
  public String name() {
    return "watched";
  }

  @Override
  public String description() {
    return "framestack, to be looked into";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return new FrameStackProvider().traits(settings);
  }

  @Override
  public CollectorFactory factory(CollectorSettings settings) {
    return context -> {
      lastMemory = context.memory();
      last = new FrameStackCollector(context, POLICY);
      return last;
    };
  }
}
