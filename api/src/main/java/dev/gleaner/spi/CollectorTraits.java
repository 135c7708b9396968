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

  /** Returns the traits of a collector that neither moves, nor needs a store barrier, nor pins. */
  public static CollectorTraits of(Capability... capabilities) {
    return new CollectorTraits(
        Set.of(capabilities), Set.of(capabilities).contains(Capability.MOVING), false, false);
  }

  /** Returns these traits with a store barrier. */
  public CollectorTraits withStoreBarrier() {
    return new CollectorTraits(capabilities, moves, true, pinning);
  }

  /** Returns these traits with pinning. */
  public CollectorTraits withPinning() {
    return new CollectorTraits(capabilities, moves, storeBarrier, true);
  }

  /** Returns these traits with one more capability, such as a setting gives. */
  public CollectorTraits with(Capability capability) {
    EnumSet<Capability> more = EnumSet.of(capability);
    more.addAll(capabilities);
    return new CollectorTraits(
        more, moves || capability == Capability.MOVING, storeBarrier, pinning);
  }

  /** Returns whether the collector has this capability. */
  public boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  /** Returns the capabilities as text, such as {@code cycles prompt}. */
  public String text() {
    return capabilities.stream().map(Capability::text).collect(Collectors.joining(" "));
  }
}
