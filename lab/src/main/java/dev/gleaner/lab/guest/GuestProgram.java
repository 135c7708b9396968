package dev.gleaner.lab.guest;

import dev.gleaner.heap.Heap;
import java.util.List;
import java.util.Objects;

/** A heap with a guest's program in it. */
public final class GuestProgram implements AutoCloseable {
  private final RegisterMachine machine;

  /**
   * Loads a program.
   *
   * @param program one of {@link #programs}
   * @param large whether on larger steps, or on small ones
   */
  public GuestProgram(Heap heap, String program, boolean large) {
    Code.Program code = Assembler.assemble(Objects.requireNonNull(Programs.ALL.get(program)));
    machine = large ? new LargeSteps(heap, code) : new SmallSteps(heap, code);
  }

  /** Returns the names of the programs. */
  public static List<String> programs() {
    return Programs.ALL.keySet().stream().sorted().toList();
  }

  /** Runs the program with an argument; answers its result, a tagged value that is no reference. */
  public long run(int argument) {
    return machine.run(argument);
  }

  @Override
  public void close() {
    machine.close();
  }
}
