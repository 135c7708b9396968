package com.example.markcompact;

import com.google.inject.Module;
import com.google.inject.Provider;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorSettings;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.GuiceCollectorProvider;

/** The plug-in {@code markcompact}; Guice hands its policy to it. */
public final class MarkCompactProvider implements GuiceCollectorProvider {
  @Override
  public String name() {
    return "markcompact";
  }

  @Override
  public String description() {
    return "mark-compact in four passes (Lisp 2): no gaps, no copying reserve";
  }

  @Override
  public CollectorTraits traits(CollectorSettings settings) {
    return CollectorTraits.of(Capability.CYCLES, Capability.MOVING, Capability.DUKTAPE_FINALIZERS);
  }

  /** The settings are read here, where the heap tells what is wrong with them. */
  @Override
  public Module module(CollectorSettings settings) {
    ChunkPolicy read = ChunkPolicy.of(settings.general(), settings.own());
    return binder -> {
      binder.bind(ChunkPolicy.class).toInstance(read);
      Provider<ChunkPolicy> chunks = binder.getProvider(ChunkPolicy.class);
      binder.bind(CollectorFactory.class).toProvider(() -> factory(chunks.get()));
    };
  }

  private static CollectorFactory factory(ChunkPolicy chunks) {
    return context -> new MarkCompactCollector(context, chunks);
  }
}
