package dev.gleaner.lab.script;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.Config;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.WorkloadFailedException;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaMemoryException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script, as {@code gleaner lua} runs it, without standard input.
 *
 * <p>The checksum is the CRC-32 of its standard output, which goes nowhere else. A script that ends
 * by an error, a limit or another status than 0 is a failed run. What is left in its global
 * variables is dropped, and its finalizers are called, before the run ends.
 */
public final class LuaWorkload implements Workload {
  /** The parameter that names the file. */
  public static final String FILE = "file";

  /** The parameter with the script's arguments, a list of texts in JSON. */
  public static final String ARGUMENTS = "arguments";

  private static final String NONE = "[]";

  /** Made when a script's arguments are read: each start of the program lists this workload. */
  private static final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
  }

  private final @Nullable Lua lua;

  /** Makes the one that is listed. */
  public LuaWorkload() {
    this(null);
  }

  private LuaWorkload(@Nullable Lua lua) {
    this.lua = lua;
  }

  @Override
  public String name() {
    return "lua";
  }

  @Override
  public String summary() {
    return "a Lua script, as --lua FILE.lua ARGS names it; the checksum is that of its output";
  }

  @Override
  public Map<String, String> defaults() {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put(FILE, "");
    defaults.put(ARGUMENTS, NONE);
    return defaults;
  }

  /** Returns the parameters of a script with its arguments. */
  public static Map<String, String> given(Path file, List<String> arguments) {
    Map<String, String> given = new LinkedHashMap<>();
    given.put(FILE, file.toString());
    try {
      given.put(ARGUMENTS, Json.MAPPER.writeValueAsString(arguments));
      return given;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // texts can be written
    }
  }

  @Override
  public String settings(Parameters parameters, String collector) {
    var _ = script(parameters);
    var _ = arguments(parameters);
    return Lua.heapDefaults(collector);
  }

  /** The script runs under the settings of guests; its compiled code is kept for other runs. */
  @Override
  public Workload under(Config settings, List<ClassLoader> plugins) {
    return new LuaWorkload(Lua.of(settings, plugins));
  }

  private static byte[] script(Parameters parameters) {
    String file = parameters.text(FILE);
    if (file.isEmpty()) {
      throw new IllegalArgumentException("workload lua: file = FILE.lua is needed");
    }
    if (Files.exists(Path.of(file)) && !Files.isRegularFile(Path.of(file))) {
      throw new IllegalArgumentException("workload lua: %s: expected a file".formatted(file));
    }
    try {
      return Files.readAllBytes(Path.of(file));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "workload lua: %s: there is no such file to read".formatted(file), e);
    }
  }

  private static String[] arguments(Parameters parameters) {
    String text = parameters.text(ARGUMENTS);
    try {
      return Json.MAPPER.readValue(text, String[].class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "workload lua: arguments = %s: a list of texts is needed, such as [\"10\"]"
              .formatted(text),
          e);
    }
  }

  @Override
  public long run(Run run) {
    if (lua == null) {
      throw new IllegalStateException("its settings come first");
    }
    byte[] script = script(run.parameters());
    String file = run.parameters().text(FILE);
    String[] arguments = arguments(run.parameters());
    CheckedOutputStream out = new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32());
    Guest guest = lua.openOn(run.openHeap(), InputStream.nullInputStream(), out, System.err);
    try {
      guest.setArguments(file, arguments);
      int status =
          guest.exitStatus(() ->
              guest.run(
                  script, "@" + file, Arrays.copyOf(arguments, arguments.length, Object[].class)));
      if (status != 0) {
        throw new WorkloadFailedException(file + ": os.exit with status " + status);
      }
    } catch (LuaMemoryException e) {
      throw e.exhausted(); // as any workload tells that its heap is full
    } catch (LuaException e) {
      if (!e.traceback().isEmpty()) {
        System.err.println(e.traceback());
      }
      throw new WorkloadFailedException(String.valueOf(e.getMessage()));
    } catch (LuaLimitException e) {
      throw new WorkloadFailedException(String.valueOf(e.getMessage()));
    }
    run.extra("instructions", (double) guest.instructions());
    run.beforeDropping();
    guest.drop();
    return out.getChecksum().getValue();
  }
}
