package dev.gleaner.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReservationTest {
  private static Reservation of(String os, String arch, boolean permitted) {
    return Reservation.of(os, arch, permitted, "ALL-UNNAMED");
  }

  @ParameterizedTest
  @CsvSource({
    "amd64, 0x4022",
    "aarch64, 0x4022",
    "riscv64, 0x4022",
    "s390x, 0x4022",
    "ppc64le, 0x62"
  })
  void everyProcessorHasItsConstants(String arch, String flags) {
    Reservation linux = of("Linux", arch, true);
    assertThat(linux.obstacle()).isNull();
    assertThat(linux.flags()).isEqualTo(Integer.decode(flags));
  }

  @ParameterizedTest
  @CsvSource({
    "Mac OS X, aarch64",
    "Windows 11, amd64",
    "FreeBSD, amd64",
    "Linux, mips64",
    "'', ''"
  })
  void elsewhereNoPermissionIsAdvised(String os, String arch) {
    for (boolean permitted : new boolean[] {false, true}) {
      assertThat(of(os, arch, permitted).obstacle())
          .contains(os, arch, "use auto or grown")
          .doesNotContain("native-access");
    }
  }

  @Test
  void permissionIsForTheModuleThatNeedsIt() {
    assertThat(of("Linux", "amd64", false).obstacle())
        .isEqualTo(
            "address space cannot be reserved here; start Java with"
                + " --enable-native-access=ALL-UNNAMED, or use auto");
    assertThat(Reservation.of("Linux", "amd64", false, "dev.gleaner.api").obstacle())
        .contains("--enable-native-access=dev.gleaner.api,");
  }

  @Test
  void hereItIsWhatTheMemorySays() {
    assertThat(Memory.canReserve()).isEqualTo(Reservation.HERE.obstacle() == null);
    assertThat(Memory.obstacleToReserving()).isEqualTo(Reservation.HERE.obstacle());
  }

  private static final class Answering implements ReservedMemory.SystemCalls {
    private final LongSupplier address;
    private long unmapped;

    Answering(LongSupplier address) {
      this.address = address;
    }

    @Override
    public int pageSize() {
      return 4096;
    }

    @Override
    public long map(long bytes) {
      return address.getAsLong();
    }

    @Override
    public void unmap(long at, long bytes) {
      unmapped = at;
    }

    @Override
    public long allocate(long bytes) {
      return 0;
    }

    @Override
    public void free(long at) {}

    @Override
    public boolean advise(long at, long bytes, int advice) {
      return false;
    }
  }

  private static @Nullable MemorySegment reserve(Answering calls) {
    ReservedMemory.SystemCalls before = ReservedMemory.system;
    ReservedMemory.system = calls;
    try {
      return ReservedMemory.reserve(1 << 20);
    } finally {
      ReservedMemory.system = before;
    }
  }

  /** Words are read by addresses of 48 bits, which a kernel may exceed. */
  @Test
  void addressesThatAreTooHighAreGivenBack() {
    long end = 1L << 48;
    Answering last = new Answering(() -> end - (1 << 20) - 4096);
    assertThat(reserve(last)).isNotNull();
    assertThat(last.unmapped).isZero();
    for (long high : new long[] {end - 4096, end, 1L << 56, -4096}) {
      Answering calls = new Answering(() -> high);
      assertThat(reserve(calls)).isNull();
      assertThat(calls.unmapped).isEqualTo(high);
    }
  }

  @Test
  void aSystemWithoutTheFunctionsReservesNothing() {
    Answering calls =
        new Answering(() -> {
          throw new UnsatisfiedLinkError("mmap");
        });
    assertThat(reserve(calls)).isNull();
  }
}
