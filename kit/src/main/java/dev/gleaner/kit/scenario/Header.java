package dev.gleaner.kit.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.config.Hocon;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorTraits;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a scenario says before its first statement.
 *
 * @param settings relative to {@code gleaner}
 */
record Header(Set<Capability> required, Set<Capability> excluded, Config settings) {
  private static final List<String> CAPABILITIES =
      Stream.of(Capability.values()).map(Capability::text).toList();

  /** Returns what a collector lacks, or has too much, as the scenario's words. */
  List<String> missing(CollectorTraits traits) {
    List<String> missing = new ArrayList<>();
    required.stream().filter(c -> !traits.has(c)).forEach(c -> missing.add(c.text()));
    excluded.stream().filter(traits::has).forEach(c -> missing.add("!" + c.text()));
    return missing;
  }

  /** Reads the header of a scenario, line by line. */
  static final class Reader {
    private final Source source;
    private final Set<Capability> required = EnumSet.noneOf(Capability.class);
    private final Set<Capability> excluded = EnumSet.noneOf(Capability.class);
    private Config settings = ConfigFactory.empty();

    Reader(Source source) {
      this.source = source;
    }

    /** Takes a line if it belongs to the header. */
    boolean accept(Line line) {
      if (line.acceptWord("requires")) {
        do {
          Set<Capability> set = line.acceptSymbol("!") ? excluded : required;
          set.add(capability(line));
        } while (!line.atEnd());
        return true;
      }
      Token first = line.peek();
      if (line.acceptWord("parameter")) {
        Token name = OperandParser.name(line);
        if (!source.define(name.text(), OperandParser.number(line, "its value"))) {
          throw line.unexpected(name, "another name: there is a parameter " + name.text());
        }
        line.requireEnd();
        return true;
      }
      if (line.acceptWord("config")) {
        line.requireSymbol("{");
        settings = settings(line, first).withFallback(settings);
        return true;
      }
      return false;
    }

    private static Capability capability(Line line) {
      Token token = line.peek();
      if (!CAPABILITIES.contains(token.text())) {
        throw line.unexpected(token, "a capability: ", CAPABILITIES);
      }
      return Capability.valueOf(line.take().text().replace('-', '_').toUpperCase(Locale.ROOT));
    }

    private Config settings(Line line, Token first) {
      Config config;
      try {
        config = Hocon.parse(source.braced(), source.file());
      } catch (ConfigException e) {
        throw line.unexpected(first, "settings in HOCON: " + e.getMessage());
      }
      if (config.hasPathOrNull("collector")) {
        throw line.unexpected(first, "no 'collector' in it: a scenario is for every collector");
      }
      return config;
    }

    Header header() {
      source.checkGiven();
      return new Header(required, excluded, settings);
    }
  }
}
