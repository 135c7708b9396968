package dev.gleaner.config;

import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.Stage;
import com.google.inject.spi.Element;
import com.google.inject.spi.Elements;
import com.google.inject.spi.Message;
import dev.gleaner.config.CollectorRegistry.Plugin;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.settings.Problems;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.GuiceCollectorProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A collector whose parts are injected. This class alone uses Guice, which brings some six hundred
 * classes along: who chose another collector loads none of them.
 */
record InjectedCollectors(Plugin plugin, HeapSettings settings, Module module)
    implements SettingsReader.Collectors {

  /** Asks a provider for its module; null if there is none. */
  static @Nullable InjectedCollectors of(
      Plugin plugin, GuiceCollectorProvider provider, CollectorSettings settings) {
    Module module = provider.module(settings);
    return module == null ? null : new InjectedCollectors(plugin, settings.general(), module);
  }

  @Override
  public CollectorFactory make(Problems problems) {
    Module general = binder -> binder.bind(HeapSettings.class).toInstance(settings);
    String location = plugin.location();
    String why;
    try {
      // Guice logs what a module throws, with its trace: so it is looked at before Guice sees it.
      List<Element> elements = Elements.getElements(Stage.PRODUCTION, general, module);
      why = thrown(elements, location);
      if (why.isEmpty()) {
        return Guice.createInjector(Stage.PRODUCTION, Elements.getModule(elements))
            .getInstance(CollectorFactory.class);
      }
    } catch (CreationException e) {
      why = messages(e.getErrorMessages(), location);
    } catch (com.google.inject.ConfigurationException e) {
      why = messages(e.getErrorMessages(), location);
    } catch (ProvisionException e) {
      why = messages(e.getErrorMessages(), location);
    } catch (RuntimeException | LinkageError e) {
      why = Reasons.text(e, location);
    }
    problems.add(plugin.broken(why));
    throw problems.exception();
  }

  /** Returns what modules threw, in a line; empty if they did not. */
  private static String thrown(List<Element> elements, String location) {
    List<Message> messages = new ArrayList<>();
    for (Element element : elements) {
      if (element instanceof Message message) {
        messages.add(message);
      }
    }
    return messages(messages, location);
  }

  private static String messages(Collection<Message> messages, String location) {
    return messages.stream()
        .map(each ->
            each.getCause() == null
                ? each.getMessage().replaceAll("\\s+", " ")
                : Reasons.text(each.getCause(), location))
        .collect(Collectors.joining("; "));
  }
}
