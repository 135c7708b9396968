package dev.gleaner.lab.workload;

import dev.gleaner.heap.Heap;
import dev.gleaner.lab.guest.GuestProgram;
import dev.gleaner.layout.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A guest's program, interpreted: {@code program} of {@link GuestProgram} with the argument {@code
 * n}, {@code rounds} times, on {@code steps}, small or large.
 *
 * <p>The checksum is the sum of the results, of doubles in thousandths.
 */
final class Guest implements Workload {
  @Override
  public String name() {
    return "guest";
  }

  @Override
  public String summary() {
    return "a small interpreter of a dynamic language, with one of its programs";
  }

  @Override
  public Map<String, String> defaults() {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put("program", "sieve");
    defaults.put("n", "10_000");
    defaults.put("rounds", "100");
    defaults.put("steps", "large");
    return defaults;
  }

  @Override
  public Map<String, List<String>> choices() {
    return Map.of(
        "program", GuestProgram.programs(),
        "steps", List.of("small", "large"));
  }

  @Override
  public long run(Run run) {
    Heap heap = run.openHeap();
    String program = run.parameters().text("program");
    int n = run.parameters().integer("n");
    int rounds = run.parameters().integer("rounds");
    boolean large = run.parameters().text("steps").equals("large");
    long sum = 0;
    try (GuestProgram guest = new GuestProgram(heap, program, large)) {
      for (int i = 0; i < rounds; i++) {
        long result = guest.run(n);
        sum +=
            Values.isInt(result)
                ? Values.toInt(result)
                : Math.round(Values.toDouble(result) * 1000);
        run.progress((double) i / rounds);
      }
      run.beforeDropping();
    }
    return sum;
  }

  @Override
  public @Nullable JvmBaseline baseline() {
    return null;
  }
}
