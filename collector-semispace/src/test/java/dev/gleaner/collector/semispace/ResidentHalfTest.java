package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The half that was left goes back to the operating system. */
@EnabledOnOs(OS.LINUX) // reads /proc
@Tag("P1")
@Tag("exhaustive")
class ResidentHalfTest extends HeapTests {
  private static final int RECORDS = 10_000_000;

  /** Resident bytes of the mappings around an address that follow each other without a gap. */
  private static long resident(long address) throws IOException {
    long sum = 0;
    long end = 0;
    boolean found = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        int dash = line.indexOf('-');
        long start = Long.parseUnsignedLong(line.substring(0, dash), 16);
        if (start != end) {
          if (found) {
            return sum;
          }
          sum = 0;
        }
        end = Long.parseUnsignedLong(line.substring(dash + 1, line.indexOf(' ')), 16);
        found |= start <= address && address < end;
      } else if (line.startsWith("Rss:")) {
        sum += Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return sum;
  }

  @Test
  void afterACollectionTwiceWhatLivesIsResident() throws IOException {
    Heap heap = open("memory { max = 4GiB, backing = reserved }");
    Mutator t = heap.mutator();
    t.enter(3);
    t.newBuffer(2, 10_000); // stays where it is
    long address = t.view(2).address();
    long before = resident(address);
    list(t, 0, 1, RECORDS);
    for (int i = 0; i < 3; i++) {
      for (int garbage = 0; garbage < RECORDS; garbage++) {
        t.newRecord(1, 3);
      }
      assertThat(resident(address) - before).isGreaterThan(used(heap) / 2);
      heap.collect();
      long live = used(heap);
      assertThat(resident(address) - before).isBetween(live, 2 * live + live / 10);
    }
    t.wipe(0);
    heap.collect();
    heap.collect(); // what was in use until the one before goes now
    assertThat(resident(address) - before).isLessThan(64 << 20);
  }
}
