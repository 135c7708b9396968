package dev.gleaner.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.noop.NoopMeter;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which meters of a registry are new, and which timers several sets share.
 *
 * <p>Micrometer returns the meter that is there when another one of the same name and tags is
 * registered. Filters change names and tags, so only the registry knows which meters are the same.
 * The registry tells a listener of each new meter: the ledger keeps one listener in a registry, and
 * so the cost of a registration does not grow with the meters that are there.
 *
 * <p>The registry holds its ledger; the map of all ledgers holds both weakly.
 */
final class MeterLedger {

  private static final Map<MeterRegistry, WeakReference<MeterLedger>> LEDGERS = new WeakHashMap<>();

  /**
   * By meter of the sets that is in the registry: how many sets show something in it, which is one
   * but for timers. The lock of this map is a leaf, so listeners may take it.
   */
  private final Map<Meter, Integer> users = Collections.synchronizedMap(new IdentityHashMap<>());

  private volatile @Nullable Thread registering;
  private @Nullable Meter added;
  private @Nullable String refusal;

  private MeterLedger() {}

  /** Returns the ledger of a registry. */
  static MeterLedger of(MeterRegistry registry) {
    synchronized (LEDGERS) {
      WeakReference<MeterLedger> known = LEDGERS.get(registry);
      MeterLedger ledger = known == null ? null : known.get();
      if (ledger == null) {
        MeterLedger made = new MeterLedger();
        registry
            .config()
            .onMeterAdded(made::added)
            .onMeterRemoved(made.users::remove)
            .onMeterRegistrationFailed((_, reason) -> made.failed(reason));
        LEDGERS.put(registry, new WeakReference<>(made));
        ledger = made;
      }
      return ledger;
    }
  }

  private void added(Meter meter) {
    if (Thread.currentThread().equals(registering)) {
      added = meter;
    }
  }

  private void failed(String reason) {
    if (Thread.currentThread().equals(registering)) {
      refusal = reason;
    }
  }

  /**
   * Registers a meter.
   *
   * @param own the meters of the set in this registry; those that the set takes out again are added
   * @param problems is told why the meter shows nothing of this set, such as one that is somebody
   *     else's; a filter that denies a meter is no problem
   */
  synchronized <M extends Meter> M register(
      Supplier<M> registration, List<Meter> own, List<String> problems) {
    added = null;
    refusal = null;
    registering = Thread.currentThread();
    M meter;
    try {
      meter = registration.get();
    } finally {
      registering = null;
    }
    boolean fresh = isAdded(meter);
    if (fresh) {
      own.add(meter);
      users.put(meter, 1);
    }
    String reason = refusal;
    if (meter instanceof Timer) {
      share(meter, own);
    } else if (!fresh && !(meter instanceof NoopMeter) && !contains(own, meter)) {
      reason = "the registry already has one";
    }
    if (reason != null) {
      problems.add(meter.getId().getName() + " " + meter.getId().getTags() + ": " + reason);
    }
    return meter;
  }

  @SuppressWarnings("ReferenceEquality") // an equal one may be that of somebody else
  private boolean isAdded(Meter meter) {
    return meter == added;
  }

  /** Sets that record in one timer all keep it; the last one takes it out. */
  private void share(Meter timer, List<Meter> own) {
    if (users.containsKey(timer) && !contains(own, timer)) {
      users.merge(timer, 1, Integer::sum);
      own.add(timer);
    }
  }

  @SuppressWarnings("ReferenceEquality") // equal meters may have been in the registry one by one
  private static boolean contains(List<Meter> meters, Meter meter) {
    return meters.stream().anyMatch(m -> m == meter);
  }

  /** Whether the registry still has all these meters of a set: a program may clear a registry. */
  boolean isWhole(List<Meter> own) {
    return users.keySet().containsAll(own);
  }

  /**
   * Takes the meters of a set out of the registry, but timers that others record in. The registry
   * removes by name and tags, so it is not asked for a meter that it lost: the one that is there
   * now is another set's.
   */
  synchronized void remove(MeterRegistry registry, List<Meter> own) {
    for (Meter meter : own) {
      Integer uses = users.get(meter);
      if (uses != null && uses > 1) {
        users.put(meter, uses - 1);
      } else if (uses != null) {
        registry.remove(meter);
      }
    }
  }
}
