package dev.gleaner.spi;

import java.util.Locale;
import java.util.Objects;
import org.apiguardian.api.API;

/**
 * What the heap asks of its collector: a collection, with its reason.
 *
 * @param cause why; not null
 * @param scope how much; {@link Scope#MINOR} is asked only of collectors with {@link
 *     Capability#MINOR}; not null
 * @param flags the effective flags of {@code CollectFlags}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record CollectionRequest(Cause cause, Scope scope, int flags) {
  /** Checks. */
  public CollectionRequest {
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(scope, "scope");
  }

  /**
   * {@return a request for a full collection, such as a program makes}
   *
   * @param flags of {@code CollectFlags}
   */
  public static CollectionRequest full(int flags) {
    return new CollectionRequest(Cause.EXPLICIT, Scope.FULL, flags);
  }

  /** {@return whether only what is young is to be collected} */
  public boolean isMinor() {
    return scope == Scope.MINOR;
  }

  /** Why a collection happens; events, meters and scenarios have its {@link #text}. */
  public enum Cause {
    /** The program asked for it. */
    EXPLICIT,
    /** The voluntary trigger fired, or slices that it started came to their end. */
    VOLUNTARY,
    /** The collector answered {@link Collector#NURSERY_FULL}. */
    NURSERY,
    /** The collector answered {@link Collector#FULL_DUE}. */
    COLLECTOR,
    /** A request for memory was refused. */
    EXHAUSTED,
    /** A request was refused more than once. */
    EMERGENCY,
    /** A setting of {@code torture} asked for it. */
    TORTURE,
    /** A buffer is to be pinned. */
    PIN,
    /** The heap closes. */
    CLOSING,
    /** No collection: the program dropped what many elements hung on. */
    DROP;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** {@return the word of events, meters and scenarios, such as {@code explicit}} */
    public String text() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** How much is collected. */
  public enum Scope {
    /**
     * Only what is young: what is dead afterwards may stay. Weak references, finalizers and figures
     * are those of a collection of a part.
     */
    MINOR,

    /** Everything. */
    FULL
  }
}
