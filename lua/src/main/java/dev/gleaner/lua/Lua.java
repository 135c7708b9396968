package dev.gleaner.lua;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lua.lib.Libraries;
import dev.gleaner.lua.machine.BasicLibrary;
import dev.gleaner.lua.machine.Bodies;
import dev.gleaner.lua.machine.Limits;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.MachineLoader;
import dev.gleaner.lua.machine.ParsedChunks;
import dev.gleaner.lua.machine.Sandbox;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Opens guests: Lua 5.4, each with a heap of its own and limits on memory, instructions and time.
 *
 * <pre>{@code
 * Lua lua = Lua.of(ConfigFactory.load());
 * try (Guest guest = lua.open()) {
 *   guest.set("name", "world");
 *   Object[] results = guest.run("return 'hello, ' .. name, 6 * 7");
 * }
 * }</pre>
 */
public final class Lua {
  private final HeapFactory heaps;
  private final LuaSettings settings;
  private final Bodies bodies;
  private final ParsedChunks chunks = new ParsedChunks();

  private Lua(HeapFactory heaps, LuaSettings settings) {
    this.heaps = heaps;
    this.settings = settings;
    this.bodies = new Bodies(settings.maxCompiled());
  }

  /**
   * Checks the configuration and makes a factory of guests.
   *
   * @param config as {@code ConfigFactory.load()} gives it: the settings of heaps under {@code
   *     gleaner}, those of guests under {@code gleaner.lua}
   * @return the factory, which any Java thread may use
   * @throws dev.gleaner.settings.ConfigurationException listing what is wrong
   */
  public static Lua of(Config config) {
    return of(config, List.of());
  }

  /**
   * Checks the configuration and makes a factory of guests.
   *
   * @param config the settings of heaps under {@code gleaner}, those of guests under {@code
   *     gleaner.lua}
   * @param pluginLoaders class loaders that lead to more collectors
   * @return the factory, which any Java thread may use
   * @throws dev.gleaner.settings.ConfigurationException listing what is wrong
   */
  public static Lua of(Config config, List<ClassLoader> pluginLoaders) {
    return new Lua(Gleaner.factory(heapConfig(config), pluginLoaders), settings(config));
  }

  /**
   * Makes a factory of guests whose heaps another factory opens, such as one with meters.
   *
   * <pre>{@code
   * var heaps = new MeteredHeapFactory(Gleaner.factory(Lua.heapConfig(config)), Tags.empty());
   * heaps.bindTo(registry);
   * Lua lua = Lua.of(heaps, config);
   * }</pre>
   *
   * @param heaps opens the heaps, under settings that {@link #heapConfig} gives
   * @param config the settings of guests, under {@code gleaner.lua}
   * @return the factory, which any Java thread may use
   * @throws dev.gleaner.settings.ConfigurationException listing what is wrong
   */
  public static Lua of(HeapFactory heaps, Config config) {
    return new Lua(heaps, settings(config));
  }

  /**
   * {@return the settings of heaps for guests: those of a configuration, and where it says nothing
   * what guests want}
   *
   * @param config the settings under {@code gleaner}; those of guests are left out
   */
  public static Config heapConfig(Config config) {
    Config reference = ConfigFactory.defaultReference(Lua.class.getClassLoader());
    String collector = config.withFallback(reference).resolve().getString("gleaner.collector");
    return withDefaults(
            config.withoutPath(LuaSettings.SECTION),
            ConfigFactory.defaultReferenceUnresolved(Lua.class.getClassLoader()).resolve(),
            ConfigFactory.parseString(heapDefaults(collector)))
        .withoutPath(LuaSettings.SECTION);
  }

  private static LuaSettings settings(Config config) {
    Config reference = ConfigFactory.defaultReference(Lua.class.getClassLoader());
    return LuaSettings.read(config.withFallback(reference).resolve());
  }

  /**
   * {@return what guests want of their heaps where nobody wants something else, in HOCON}
   *
   * @param collector the name of the one that is chosen
   */
  public static String heapDefaults(String collector) {
    Config reference = ConfigFactory.defaultReference(Lua.class.getClassLoader());
    String path = ConfigUtil.joinPath("gleaner", "collectors", collector, "cycles");
    boolean leaks = reference.hasPath(path) && reference.getString(path).equals("leak");
    String cycles = leaks ? "\n" + path + " = trial-deletion" : "";
    return "gleaner { strings { max-interned = 40, initial = 512 }, finalizer-order = reverse,"
        + " voluntary { add = 8192, bytes = 256 } }"
        + cycles;
  }

  /**
   * What Lua wants for heaps, unless the user wants something else. The reference has no system
   * properties, as a user sets those.
   */
  private static Config withDefaults(Config config, Config reference, Config defaults) {
    Config result = config;
    for (var entry : defaults.entrySet()) {
      String path = entry.getKey();
      boolean usual =
          !config.hasPath(path)
              || origin(config, path)
                  .equals(reference.hasPath(path) ? origin(reference, path) : "none");
      if (usual) {
        result = result.withValue(path, entry.getValue());
      }
    }
    return result;
  }

  private static String origin(Config config, String path) {
    return config.getValue(path).origin().description();
  }

  /**
   * Parses a chunk, to be run in any number of guests.
   *
   * @param text of the chunk; it is its name in messages
   * @return the script
   * @throws LuaException if it is no Lua
   */
  public static Script prepare(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return prepare(bytes, new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /**
   * Parses a chunk, to be run in any number of guests.
   *
   * @param text all of its bytes; a first line that begins with # is passed over
   * @param name as messages have it: "@file", or "=name"
   * @return the script
   * @throws LuaException if it is no Lua
   */
  public static Script prepare(byte[] text, String name) {
    return Script.parse(text, name);
  }

  /**
   * Opens a guest with the libraries that reach nothing outside, and no output.
   *
   * @return the guest, which belongs to the Java thread that opens it
   */
  public Guest open() {
    return open(Sandbox.pure(OutputStream.nullOutputStream()));
  }

  /**
   * Opens a guest with the libraries that reach nothing outside.
   *
   * @param output where {@code print} and {@code io.write} write
   * @return the guest, which belongs to the Java thread that opens it
   */
  public Guest open(OutputStream output) {
    return open(Sandbox.pure(output));
  }

  /**
   * Opens a guest as a program of its own: with files, processes, environment and exit.
   *
   * @param in standard input
   * @param out standard output
   * @param err standard error
   * @return the guest, which belongs to the Java thread that opens it
   */
  public Guest openTrusted(InputStream in, OutputStream out, OutputStream err) {
    return open(Sandbox.open(in, out, err));
  }

  private Guest open(Sandbox sandbox) {
    return open(heaps.open(), sandbox);
  }

  /**
   * Opens a guest as {@link #openTrusted} does, on a heap of the caller's, who has given it {@link
   * #heapDefaults}.
   *
   * @param heap fresh; it is closed with the guest
   * @param in standard input
   * @param out standard output
   * @param err standard error
   * @return the guest, which belongs to the Java thread that opens it
   */
  public Guest openOn(Heap heap, InputStream in, OutputStream out, OutputStream err) {
    return open(heap, Sandbox.open(in, out, err));
  }

  /**
   * Opens a guest as {@link #open(OutputStream)} does, on a heap of the caller's.
   *
   * @param heap as for the other method
   * @param output where {@code print} and {@code io.write} write
   * @return the guest, which belongs to the Java thread that opens it
   */
  public Guest openOn(Heap heap, OutputStream output) {
    return open(heap, Sandbox.pure(output));
  }

  /**
   * Opens a guest from an image, as {@link #open(Image, GuestBindings, OutputStream)} does, without
   * functions and objects of the host, and without output.
   *
   * @param image what {@link Guest#image()} returned, under any collector
   * @return the guest, equal to the one that was saved; it belongs to the calling Java thread
   */
  public Guest open(Image image) {
    return open(image, new GuestBindings());
  }

  /**
   * Opens a guest from an image, as {@link #open(Image, GuestBindings, OutputStream)} does, without
   * output.
   *
   * @param image what {@link Guest#image()} returned, under any collector
   * @param bindings what the host has by name
   * @return the guest, equal to the one that was saved; it belongs to the calling Java thread
   */
  public Guest open(Image image, GuestBindings bindings) {
    return open(image, bindings, OutputStream.nullOutputStream());
  }

  /**
   * Opens a guest from an image, with the libraries that reach nothing outside.
   *
   * @param image what {@link Guest#image()} returned, under any collector
   * @param bindings what the host has by name
   * @param output where {@code print} and {@code io.write} write
   * @return the guest, equal to the one that was saved; it belongs to the calling Java thread
   * @throws dev.gleaner.refusal.ImageException if the image is not sound, or needs functions or
   *     objects that this host does not have; the message lists all of them
   * @throws dev.gleaner.refusal.HeapExhaustedException if the limit is too small; nothing is left
   */
  public Guest open(Image image, GuestBindings bindings, OutputStream output) {
    return open(image, bindings, Sandbox.pure(output));
  }

  /**
   * Opens a guest from an image as a program of its own, as {@link #openTrusted(InputStream,
   * OutputStream, OutputStream)} does.
   *
   * @param image what {@link Guest#image()} returned, under any collector
   * @param bindings what the host has by name
   * @param in standard input
   * @param out standard output
   * @param err standard error
   * @return the guest, equal to the one that was saved; it belongs to the calling Java thread
   * @throws dev.gleaner.refusal.ImageException if the image is not sound, or needs functions or
   *     objects that this host does not have; the message lists all of them
   * @throws dev.gleaner.refusal.HeapExhaustedException if the limit is too small; nothing is left
   */
  public Guest openTrusted(
      Image image, GuestBindings bindings, InputStream in, OutputStream out, OutputStream err) {
    return open(image, bindings, Sandbox.open(in, out, err));
  }

  private Guest open(Image image, GuestBindings bindings, Sandbox sandbox) {
    Limits limits = limits();
    MachineLoader loader =
        new MachineLoader(
            settings.compileAfter(),
            bodies,
            sandbox.writing(settings.maxOutput()),
            bindings.bound(),
            Libraries::file,
            chunks);
    Heap heap = null;
    try {
      heap = heaps.open(image.heap(), loader);
      Machine machine = loader.machine(heap, limits, settings.maxCalls());
      Guest guest = finish(heap, machine, limits);
      loader.finish(machine, image.elements());
      return guest;
    } catch (RuntimeException | Error e) {
      loader.giveUp(e);
      if (heap != null) {
        heap.close();
      }
      throw e;
    }
  }

  /** {@return figures of the compiled functions of all guests, for meters; from any thread} */
  public CompiledFunctions compiled() {
    return bodies.figures();
  }

  private Guest open(Heap heap, Sandbox sandbox) {
    try {
      Limits limits = limits();
      Machine machine =
          new Machine(
              heap,
              limits,
              settings.maxCalls(),
              settings.compileAfter(),
              bodies,
              sandbox.writing(settings.maxOutput()));
      return finish(heap, machine, limits);
    } catch (RuntimeException | Error e) {
      heap.close();
      throw e;
    }
  }

  private Guest finish(Heap heap, Machine machine, Limits limits) {
    machine.setConvertsTables(settings.convertTables());
    BasicLibrary.open(machine);
    Libraries.open(machine);
    return new Guest(heap, machine, limits);
  }

  private Limits limits() {
    return new Limits(
        settings.life(),
        settings.call(),
        settings.closeTime(),
        settings.graceTime(),
        settings.threadInterrupt());
  }
}
