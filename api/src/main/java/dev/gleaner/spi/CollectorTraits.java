package dev.gleaner.spi;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * What can be known of a collector before it exists.
 *
 * @param capabilities what it can do beyond what every collector must; in the order of {@link
 *     Capability}
 * @param moves whether an element's offset may change; says the same as {@link Capability#MOVING}
 * @param storeBarrier whether it must be told of every store into an element
 * @param pinning whether a view of a buffer stays valid across collections until it is unpinned
 */
@API(status = API.Status.STABLE, since = "0.1")
public record CollectorTraits(
    Set<Capability> capabilities, boolean moves, boolean storeBarrier, boolean pinning) {

  /** Checks and copies. */
  public CollectorTraits {
    EnumSet<Capability> ordered = EnumSet.noneOf(Capability.class);
    ordered.addAll(capabilities);
    if (moves != ordered.contains(Capability.MOVING)) {
      throw new IllegalArgumentException(
          "moves is "
              + moves
              + ", but the capabilities are "
              + ordered
              + ": they must agree on moving");
    }
    capabilities = java.util.Collections.unmodifiableSet(ordered);
  }

  /**
   * {@return the traits of a collector that neither moves, nor needs a store barrier, nor pins}
   *
   * @param capabilities in any order
   */
  public static CollectorTraits of(Capability... capabilities) {
    return new CollectorTraits(
        Set.of(capabilities), Set.of(capabilities).contains(Capability.MOVING), false, false);
  }

  /** {@return these traits with a store barrier} */
  public CollectorTraits withStoreBarrier() {
    return new CollectorTraits(capabilities, moves, true, pinning);
  }

  /** {@return these traits with pinning} */
  public CollectorTraits withPinning() {
    return new CollectorTraits(capabilities, moves, storeBarrier, true);
  }

  /**
   * {@return these traits with one more capability, such as a setting gives}
   *
   * @param capability one that it may have already
   */
  public CollectorTraits with(Capability capability) {
    EnumSet<Capability> more = EnumSet.of(capability);
    more.addAll(capabilities);
    return new CollectorTraits(
        more, moves || capability == Capability.MOVING, storeBarrier, pinning);
  }

  /**
   * {@return whether the collector has this capability}
   *
   * @param capability the one in question
   */
  public boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  /** {@return the capabilities as text, such as {@code cycles prompt}} */
  public String text() {
    return capabilities.stream().map(Capability::text).collect(Collectors.joining(" "));
  }
}
