package dev.gleaner.memory;

import org.jspecify.annotations.Nullable;

/**
 * What reserving address space takes on a system: permission to call out, Linux, and the constants
 * of its processor. They are the kernel's ABI, which no call tells, so a processor that is not
 * listed here goes without.
 *
 * @param flags of {@code mmap}: private, anonymous, without reserving swap space
 * @param obstacle why address space cannot be reserved, and what to do; null if it can
 */
record Reservation(int flags, @Nullable String obstacle) {
  private static final int PRIVATE_ANONYMOUS = 0x02 | 0x20;

  /** What holds in this JVM. */
  static final Reservation HERE = here();

  private static Reservation here() {
    Module module = Reservation.class.getModule();
    return of(
        System.getProperty("os.name", ""),
        System.getProperty("os.arch", ""),
        module.isNativeAccessEnabled(),
        module.isNamed() ? module.getName() : "ALL-UNNAMED");
  }

  /**
   * Returns what holds on a system.
   *
   * @param os and {@code arch} as the system properties {@code os.name} and {@code os.arch} say
   * @param permitted whether this library may call native functions
   * @param module what {@code --enable-native-access} names to permit it
   */
  static Reservation of(String os, String arch, boolean permitted, String module) {
    int flags = os.equals("Linux") ? flags(arch) : 0;
    if (flags == 0) {
      String there = arch.isEmpty() ? os : os + " on " + arch;
      return new Reservation(
          0, "address space cannot be reserved under " + there + "; use auto or grown");
    }
    return new Reservation(
        flags,
        permitted
            ? null
            : "address space cannot be reserved here; start Java with --enable-native-access="
                + module
                + ", or use auto");
  }

  private static int flags(String arch) {
    return switch (arch) {
      case "amd64", "x86_64", "aarch64", "riscv64", "loongarch64", "s390x" ->
          PRIVATE_ANONYMOUS | 0x4000;
      case "ppc64", "ppc64le" -> PRIVATE_ANONYMOUS | 0x40;
      default -> 0;
    };
  }
}
