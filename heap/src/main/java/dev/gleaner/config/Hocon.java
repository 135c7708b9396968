package dev.gleaner.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigParseable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Reads HOCON that anybody may have written.
 *
 * <p>The library's parser and resolver recurse, so a text that is nested deep enough overflows the
 * stack, and they read whatever there is. Here a text is looked through first, in one pass: its
 * length, how deep its braces and brackets go, the parts of a path, the number of substitutions. So
 * is all that is included, and how large the values get by {@link Expansion}. What is beyond is a
 * {@link ConfigException} with file and line. What still overflows, as a cycle through many files,
 * is one, too.
 */
@API(status = API.Status.INTERNAL)
public final class Hocon {
  private static final int MOST_BYTES = 1 << 20;
  private static final int DEEPEST = 100;
  private static final int MOST_PARTS = 100;
  private static final int MOST_SUBSTITUTIONS = 500;
  private static final int MOST_INCLUDED = 1000;
  private static final long MOST_INCLUDED_BYTES = 4L * MOST_BYTES;
  private static final String TRIPLE = "\"\"\"";
  private static final String NO_PATH = " \t\r\n,:=+{}[]()$";

  private Hocon() {}

  /**
   * Reads a text.
   *
   * @param text HOCON
   * @param origin its name for messages
   * @return what it says, not resolved
   * @throws ConfigException if it is no HOCON, or goes beyond the bounds
   */
  public static Config parse(String text, String origin) {
    check(text, origin);
    return guarded(origin, () -> ConfigFactory.parseString(text, options(origin)));
  }

  /**
   * Reads a file, and what it includes.
   *
   * @param file HOCON, by any name
   * @return what it says, not resolved
   * @throws ConfigException if it cannot be read, is no HOCON, or goes beyond the bounds
   */
  public static Config parseFile(Path file) {
    String name = file.toString();
    String text = checked(file, name);
    // By its whole path, else nothing is found beside it; a pipe has been emptied by now.
    return guarded(
        name,
        () ->
            Files.isRegularFile(file)
                ? ConfigFactory.parseFile(
                    file.toAbsolutePath().toFile(), options(name).setAllowMissing(false))
                : ConfigFactory.parseString(text, options(name)));
  }

  /**
   * Reads the defaults of all that a loader sees.
   *
   * @param loader which looks for {@code reference.conf}
   * @return the defaults, resolved
   * @throws ConfigException if one of them is no HOCON
   */
  public static Config defaults(ClassLoader loader) {
    return guarded("reference.conf", () -> ConfigFactory.defaultReference(loader));
  }

  /**
   * Does what reads or resolves.
   *
   * @param origin what is read, for messages
   * @param action reads or resolves
   * @return what the action answers
   * @throws ConfigException also where the stack or the memory does not suffice
   */
  public static Config guarded(String origin, Supplier<Config> action) {
    try {
      return action.get();
    } catch (StackOverflowError e) {
      throw wrong(origin, -1, "substitutions, includes or values are nested too deeply");
    } catch (OutOfMemoryError e) {
      throw wrong(
          origin,
          -1,
          "its values do not fit in this JVM's %d MiB"
              .formatted(Runtime.getRuntime().maxMemory() >> 20));
    }
  }

  private static ConfigParseOptions options(String origin) {
    return ConfigParseOptions.defaults()
        .setOriginDescription(origin)
        .setIncluder(new Includes(null, new Included()));
  }

  /**
   * Replaces the substitutions, if the values are not too large then.
   *
   * @param config not resolved
   * @param origin what it is, for messages
   * @return the values
   * @throws ConfigException if something is not there, or goes beyond the bounds
   */
  public static Config resolve(Config config, String origin) {
    return guarded(
        origin,
        () -> {
          new Expansion(config.root()).check();
          return config.resolve();
        });
  }

  /** What one text has included so far, and the bytes of it. */
  private static final class Included {
    private int files;
    private long bytes;

    void add(String name, String text) {
      bytes += text.length();
      if (++files > MOST_INCLUDED || bytes > MOST_INCLUDED_BYTES) {
        throw wrong(
            name,
            -1,
            "more than %d files, or %d bytes, are included"
                .formatted(MOST_INCLUDED, MOST_INCLUDED_BYTES));
      }
    }
  }

  /**
   * Looks through what a text includes, by each of the ways that there are. Files and resources
   * alone are included; a URL that is no file may have no end.
   */
  private record Includes(@Nullable ConfigIncluder fallback, Included included)
      implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {

    /** What the library tries after a name, if it has none of these. */
    private static final List<String> EXTENSIONS = List.of("", ".conf", ".json", ".properties");

    @Override
    public ConfigIncluder withFallback(ConfigIncluder other) {
      return new Includes(fallback == null ? other : fallback.withFallback(other), included);
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
      URL url = url(what);
      if (url != null) {
        lookAt(url);
        return next().include(context, what);
      }
      for (String extension : EXTENSIONS) {
        ConfigParseable found = context.relativeTo(what + extension);
        if (found != null && found.origin().filename() != null) {
          look(Path.of(found.origin().filename()));
        } else {
          lookForResource(context, strippedOfSlash(what) + extension);
        }
      }
      return next().include(context, what);
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
      look(what.toPath());
      return ((ConfigIncluderFile) next()).includeFile(context, what);
    }

    @Override
    public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
      lookAt(what);
      return ((ConfigIncluderURL) next()).includeURL(context, what);
    }

    @Override
    public ConfigObject includeResources(ConfigIncludeContext context, String what) {
      lookForResource(context, strippedOfSlash(what));
      return ((ConfigIncluderClasspath) next()).includeResources(context, what);
    }

    private ConfigIncluder next() {
      if (fallback == null) {
        throw new IllegalStateException("the library gives an includer");
      }
      return fallback;
    }

    private static String strippedOfSlash(String name) {
      return name.startsWith("/") ? name.substring(1) : name;
    }

    @SuppressWarnings("deprecation") // the library makes it in this way, and this is to be the same
    private static @Nullable URL url(String what) {
      try {
        return new URL(what);
      } catch (MalformedURLException e) {
        return null;
      }
    }

    private void lookAt(URL url) {
      try {
        if (url.getProtocol().equals("file")) {
          look(Path.of(url.toURI()));
          return;
        }
      } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
        // no file of this machine
      }
      throw wrong(url.toString(), -1, "only files and resources can be included");
    }

    private void lookForResource(ConfigIncludeContext context, String name) {
      ClassLoader loader = context.parseOptions().getClassLoader();
      try {
        for (URL url : Collections.list(loader.getResources(name))) {
          if (url.getProtocol().equals("file")) {
            lookAt(url);
            continue;
          }
          try (InputStream in = url.openStream()) {
            included.add(name, checked(in, url.toString()));
          }
        }
      } catch (IOException e) {
        throw new ConfigException.IO(origin(name, -1), String.valueOf(e.getMessage()), e);
      }
    }

    private void look(Path file) {
      if (Files.isRegularFile(file)) {
        included.add(file.toString(), checked(file, file.toString()));
      } else if (Files.exists(file)) {
        throw wrong(file.toString(), -1, "only a regular file can be included");
      }
    }
  }

  /** Reads a file's text, no further than it may go. */
  private static String checked(Path file, String name) {
    try (InputStream in = Files.newInputStream(file)) {
      return checked(in, name);
    } catch (IOException e) {
      throw new ConfigException.IO(origin(name, -1), String.valueOf(e.getMessage()), e);
    }
  }

  /** Reads what a stream has. */
  static Config parse(InputStream in, String origin) throws IOException {
    String text = checked(in, origin);
    return guarded(origin, () -> ConfigFactory.parseString(text, options(origin)));
  }

  private static String checked(InputStream in, String name) throws IOException {
    byte[] bytes = in.readNBytes(MOST_BYTES + 1);
    String text = new String(bytes, StandardCharsets.UTF_8);
    check(text, name);
    if (bytes.length > MOST_BYTES) {
      int line = (int) text.chars().filter(c -> c == '\n').count() + 1;
      throw wrong(name, line, "longer than " + MOST_BYTES + " bytes");
    }
    return text;
  }

  private static void check(String text, String origin) {
    int line = 1;
    int depth = 0;
    int parts = 1;
    int substitutions = 0;
    for (int at = 0; at < text.length(); ) {
      char c = text.charAt(at);
      int next = at + 1;
      if (c == '"') {
        next = afterString(text, at);
      } else if (c == '#' || text.startsWith("//", at)) {
        next = end(text, '\n', at);
      } else if (c == '{' || c == '[') {
        if (++depth > DEEPEST) {
          throw wrong(origin, line, "braces and brackets more than " + DEEPEST + " deep");
        }
      } else if (c == '}' || c == ']') {
        depth--;
      } else if (c == '.') {
        if (++parts > MOST_PARTS) {
          throw wrong(origin, line, "a path of more than " + MOST_PARTS + " parts");
        }
      } else if (text.startsWith("${", at) && ++substitutions > MOST_SUBSTITUTIONS) {
        throw wrong(origin, line, "more than " + MOST_SUBSTITUTIONS + " substitutions");
      }
      if (NO_PATH.indexOf(c) >= 0) {
        parts = 1;
      }
      for (; at < next; at++) {
        line += text.charAt(at) == '\n' ? 1 : 0;
      }
    }
  }

  private static int afterString(String text, int start) {
    if (text.startsWith(TRIPLE, start)) {
      int end = text.indexOf(TRIPLE, start + TRIPLE.length());
      return end < 0 ? text.length() : end + TRIPLE.length();
    }
    int at = start + 1;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\n') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at + 1, text.length());
  }

  private static int end(String text, char c, int from) {
    int end = text.indexOf(c, from);
    return end < 0 ? text.length() : end;
  }

  private static ConfigOrigin origin(String name, int line) {
    ConfigOrigin origin = ConfigOriginFactory.newSimple(name);
    return line > 0 ? origin.withLineNumber(line) : origin;
  }

  private static ConfigException wrong(String name, int line, String what) {
    return new ConfigException.Parse(origin(name, line), what);
  }
}
