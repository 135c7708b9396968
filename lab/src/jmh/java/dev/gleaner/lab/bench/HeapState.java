package dev.gleaner.lab.bench;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.util.Map;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A heap, opened on the thread that measures, with an open frame of {@link #SLOTS} slots. */
@State(Scope.Thread)
public class HeapState {
  /** Operations per invocation of every benchmark, and the size of what they work on. */
  public static final int N = 1024;

  /** Slots of the frame. */
  public static final int SLOTS = 40;

  /** The collector's name. */
  @Param("marksweep")
  public String collector;

  /** The heap. */
  public Heap heap;

  /** Its thread, in a frame whose slots are free for use. */
  public Mutator t;

  /** Opens the heap. */
  @Setup(Level.Trial)
  public void open() {
    heap =
        Gleaner.factory(
                ConfigFactory.parseMap(Map.of("gleaner.collector", collector))
                    .withFallback(ConfigFactory.parseString(settings()))
                    .withFallback(ConfigFactory.load()))
            .open();
    t = heap.mutator();
    t.enter(SLOTS);
    make();
  }

  /** {@return settings laid over the defaults, as HOCON} */
  protected String settings() {
    return "";
  }

  /** Makes what the benchmarks work on; called once the frame is open. */
  protected void make() {}

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() {
    t.leave();
    heap.close();
  }
}
