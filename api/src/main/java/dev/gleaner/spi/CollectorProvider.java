package dev.gleaner.spi;

import org.apiguardian.api.API;

/**
 * A collector plug-in: describes itself first, and builds later.
 *
 * <p>Found by {@link java.util.ServiceLoader}: the class is public, has a public constructor
 * without parameters, and is named in {@code META-INF/services/dev.gleaner.spi.CollectorProvider}.
 * Neither the constructor nor {@link #name} should do any work: they run for every collector that
 * is installed, chosen or not.
 *
 * <p>The plug-in's own settings stand with their defaults and documentation in a {@code
 * reference.conf} in the plug-in's jar, under {@code gleaner.collectors.<name>}. {@link #factory}
 * reads them; see {@link CollectorSettings}. {@link GuiceCollectorProvider} has the parts injected.
 */
@API(status = API.Status.STABLE, since = "0.1")
public interface CollectorProvider {

  /** {@return the name under which the configuration chooses it: {@code [a-z][a-z0-9-]*}} */
  String name();

  /** {@return what it is, in one line} */
  String description();

  /**
   * {@return the traits under these settings; a setting can add a capability}
   *
   * @param settings the general settings, and those of the collector alone
   */
  CollectorTraits traits(CollectorSettings settings);

  /**
   * {@return what makes the collector of each heap}
   *
   * <p>Reads <em>every</em> one of the plug-in's own settings before it returns, whatever the
   * others say: a key that is not asked for here (nor in {@link #traits}) counts as unknown. A
   * value that is wrong is noted and replaced by a legal one, so that reading goes on and all
   * problems are reported at once; the factory is not used then. Also called for a plug-in that is
   * not chosen, only to check its settings: it starts nothing.
   *
   * @param settings the general settings, and those of the collector alone
   */
  CollectorFactory factory(CollectorSettings settings);
}
