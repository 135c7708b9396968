package dev.gleaner.config;

import dev.gleaner.memory.Memory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.HeapSettings.FinalizerOrder;
import dev.gleaner.settings.IncrementalSettings;
import dev.gleaner.settings.MarkSettings;
import dev.gleaner.settings.MemorySettings;
import dev.gleaner.settings.MemorySettings.Backing;
import dev.gleaner.settings.Section;
import dev.gleaner.settings.SettingRule;
import dev.gleaner.settings.StringSettings;
import dev.gleaner.settings.ThreadSettings;
import dev.gleaner.settings.TortureSettings;
import dev.gleaner.settings.VoluntarySettings;
import dev.gleaner.space.VoluntaryTrigger;
import dev.gleaner.spi.CollectFlags;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings that every collector has. Each key, unit and range here is documented in
 * reference.conf.
 */
final class GeneralSettings {

  /** The words of {@code verify}. */
  private enum Verify {
    OFF,
    AFTER_COLLECTION
  }

  /** The words of {@code base-flags}. */
  private enum Flag {
    EMERGENCY(CollectFlags.EMERGENCY),
    NO_FINALIZERS(CollectFlags.NO_FINALIZERS),
    NO_OBJECT_COMPACTION(CollectFlags.NO_OBJECT_COMPACTION),
    NO_STRING_TABLE_RESIZE(CollectFlags.NO_STRING_TABLE_RESIZE);

    private final int bit;

    Flag(int bit) {
      this.bit = bit;
    }
  }

  private static final long MOST_OPERATIONS = 1_000_000_000_000L;
  private static final int MOST = 1_000_000_000;
  private static final int MOST_MARKERS = 64;
  private static final int MOST_FACTOR = 1_000_000;

  private GeneralSettings() {}

  static HeapSettings read(Section s, String collector) {
    return new HeapSettings(
        collector,
        memory(s.section("memory")),
        strings(s.section("strings")),
        voluntary(s.section("voluntary")),
        baseFlags(s),
        s.onOff("finalizers"),
        s.word("finalizer-order", FinalizerOrder.class),
        torture(s.section("torture")),
        s.word("verify", Verify.class) == Verify.AFTER_COLLECTION,
        mark(s.section("mark")),
        incremental(s.section("incremental")),
        threads(s.section("threads")),
        s.onOff("leak-stacks"),
        s.word("log", CollectionLog.Log.class) == CollectionLog.Log.GC);
  }

  private static MarkSettings mark(Section s) {
    return new MarkSettings(
        s.integer("recursion-limit", 16, MOST), s.integer("threads", 1, MOST_MARKERS));
  }

  /** The file for traces; null if nothing is to be recorded. */
  static @Nullable Path traceFile(Section general) {
    Section s = general.section("trace");
    String file = s.text("file");
    if (file.isEmpty()) {
      return null;
    }
    try {
      Path path = Path.of(file);
      Path folder = path.toAbsolutePath().getParent();
      if (folder != null && Files.isDirectory(folder) && !Files.isDirectory(path)) {
        return path;
      }
      s.reject("file", "must be a file in a folder that there is; off is \"\"");
    } catch (InvalidPathException e) {
      s.reject("file", "must be the path of a file: " + e.getReason());
    }
    return null;
  }

  private static MemorySettings memory(Section s) {
    long max = s.bytes("max", MemorySettings.LEAST_MAX, MemorySettings.GREATEST_MAX);
    long initial = s.bytes("initial", 0, MemorySettings.GREATEST_MAX);
    if (initial > max) {
      s.reject("initial", "must be at most memory.max, which is " + SettingRule.size(max));
    }
    Backing backing = s.word("backing", Backing.class);
    String obstacle = Memory.obstacleToReserving();
    if (backing == Backing.RESERVED && obstacle != null) {
      s.reject("backing", obstacle);
    }
    return new MemorySettings(
        max, initial, backing, s.integer("collection-overhead", 0, MOST_FACTOR));
  }

  private static StringSettings strings(Section s) {
    int initial = s.integer("initial", 16, 1 << 26);
    if (Integer.bitCount(initial) != 1) {
      s.reject(
          "initial",
          "must be a power of two, such as "
              + Integer.highestOneBit(initial)
              + " or "
              + Integer.highestOneBit(initial) * 2);
    }
    return new StringSettings(
        initial,
        s.integer("access-cache", 0, 256),
        s.integer("max-interned", 0, Integer.MAX_VALUE),
        s.seed("hash-seed"));
  }

  private static VoluntarySettings voluntary(Section s) {
    double mult = s.number("mult", 0, 1_000_000);
    if (mult > 0 && Math.round(mult * VoluntaryTrigger.FRACTION) == 0) {
      s.reject("mult", "must be 0, or at least 1/512: it is taken in steps of 1/256");
    }
    return new VoluntarySettings(
        s.trueFalse("enabled"),
        mult,
        s.number("add", 0, MOST_OPERATIONS),
        s.integer("bytes", 0, 1 << 20));
  }

  private static int baseFlags(Section s) {
    int bits = 0;
    for (Flag flag : s.words("base-flags", Flag.class)) {
      bits |= flag.bit;
    }
    return bits;
  }

  private static TortureSettings torture(Section s) {
    return new TortureSettings(
        s.count("gc", "every-allocation", MOST_OPERATIONS),
        s.onOff("finalizers"),
        s.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE));
  }

  private static IncrementalSettings incremental(Section s) {
    return new IncrementalSettings(
        s.trueFalse("enabled"),
        s.nanos("slice", 1_000, 10_000_000_000L),
        s.integer("allocations-per-slice", 1, MOST));
  }

  private static ThreadSettings threads(Section s) {
    int initial = s.integer("initial-stack-slots", 8, 1 << 30);
    int most = s.integer("max-stack-slots", 64, 1 << 30);
    if (initial > most) {
      s.reject("initial-stack-slots", "must be at most threads.max-stack-slots, which is " + most);
    }
    return new ThreadSettings(initial, most);
  }
}
