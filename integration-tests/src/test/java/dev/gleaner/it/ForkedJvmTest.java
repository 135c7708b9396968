package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.ForkedJvm.Result;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program that uses heaps needs no flag, and nothing is printed that is not its own. */
class ForkedJvmTest {
  @Test
  void withoutAnyFlagMemoryGrows() throws Exception {
    expectSilence(List.of(), false);
  }

  @Test
  void withNativeAccessMemoryIsReserved() throws Exception {
    expectSilence(List.of(ForkedJvm.NATIVE_ACCESS), true);
  }

  /** The JVM itself would say so if a restricted method were called. */
  @Test
  @Tag("exhaustive")
  void whereNativeAccessIsDeniedMemoryGrows() throws Exception {
    expectSilence(List.of("--illegal-native-access=deny"), false);
  }

  private static void expectSilence(List<String> flags, boolean reserved) throws Exception {
    List<String> expected = new ArrayList<>(List.of("reserved: " + reserved));
    Installed.collectors().forEach(c -> expected.add(c + ": 20 finalized"));
    Result result = ForkedJvm.run(flags, TenHeaps.class);
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).isEqualTo(expected);
    assertThat(result.exit()).isZero();
  }
}
