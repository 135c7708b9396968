package dev.gleaner.spi;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * What can be known of a collector before it exists.
 *
 * @param capabilities what it can do beyond what every collector must; in the order of {@link
 *     Capability}
 * @param barriers what the mutator does for it at a store; {@link WriteBarrier#NONE} alone if
 *     nothing
 * @param pinning whether a view of a buffer stays valid across collections until it is unpinned
 */
@API(status = API.Status.STABLE, since = "0.1")
public record CollectorTraits(
    Set<Capability> capabilities, Set<WriteBarrier> barriers, boolean pinning) {

  private static final Set<Set<WriteBarrier>> COMBINED =
      Set.of(
          EnumSet.of(WriteBarrier.SNAPSHOT, WriteBarrier.COUNTING),
          EnumSet.of(WriteBarrier.SNAPSHOT, WriteBarrier.FRAMES));

  /**
   * Checks and copies.
   *
   * @throws IllegalArgumentException if the barriers exclude each other
   */
  public CollectorTraits {
    EnumSet<Capability> ordered = EnumSet.noneOf(Capability.class);
    ordered.addAll(capabilities);
    capabilities = Collections.unmodifiableSet(ordered);
    EnumSet<WriteBarrier> named = EnumSet.noneOf(WriteBarrier.class);
    named.addAll(barriers);
    if (named.isEmpty()) {
      named.add(WriteBarrier.NONE);
    }
    if (named.size() > 1 && !COMBINED.contains(named)) {
      throw new IllegalArgumentException(
          "no such combination of write barriers: %s; there are %s"
              .formatted(
                  named,
                  COMBINED.stream().map(Set::toString).sorted().collect(Collectors.joining(", "))));
    }
    barriers = Collections.unmodifiableSet(named);
  }

  /**
   * {@return the traits of a collector that needs no write barrier, and does not pin}
   *
   * @param capabilities in any order
   */
  public static CollectorTraits of(Capability... capabilities) {
    return new CollectorTraits(Set.of(capabilities), Set.of(WriteBarrier.NONE), false);
  }

  /**
   * {@return these traits with these write barriers instead}
   *
   * @param needed in any order
   */
  public CollectorTraits withBarriers(WriteBarrier... needed) {
    return new CollectorTraits(capabilities, Set.of(needed), pinning);
  }

  /** {@return these traits with pinning} */
  public CollectorTraits withPinning() {
    return new CollectorTraits(capabilities, barriers, true);
  }

  /**
   * {@return these traits with one more capability, such as a setting gives}
   *
   * @param capability one that it may have already
   */
  public CollectorTraits with(Capability capability) {
    EnumSet<Capability> more = EnumSet.of(capability);
    more.addAll(capabilities);
    return new CollectorTraits(more, barriers, pinning);
  }

  /**
   * {@return whether the collector has this capability}
   *
   * @param capability the one in question
   */
  public boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  /**
   * {@return whether the collector needs this write barrier}
   *
   * @param barrier the one in question
   */
  public boolean has(WriteBarrier barrier) {
    return barriers.contains(barrier);
  }

  /** {@return the capabilities as text, such as {@code cycles prompt}} */
  public String text() {
    return capabilities.stream().map(Capability::text).collect(Collectors.joining(" "));
  }
}
