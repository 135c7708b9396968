package dev.gleaner.lab.script;

import dev.gleaner.heap.Heap;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.WorkloadFailedException;
import dev.gleaner.lua.Guest;
import java.util.Map;
import java.util.function.Function;

/**
 * A script that is run as a program, and whose figures are taken.
 *
 * @param program runs it, and says why it failed; empty if it did not
 */
public record MeteredScript(Function<Heap, Guest> opener, Function<Guest, String> program)
    implements Workload {
  @Override
  public String name() {
    return "lua";
  }

  @Override
  public String summary() {
    return "a Lua script as a program";
  }

  @Override
  public Map<String, String> defaults() {
    return Map.of();
  }

  @Override
  public long run(Run run) {
    Guest guest = opener.apply(run.openHeap());
    String failure = program.apply(guest);
    run.extra("instructions", (double) guest.instructions());
    if (!failure.isEmpty()) {
      throw new WorkloadFailedException(failure);
    }
    run.beforeDropping();
    guest.drop();
    return 0;
  }
}
