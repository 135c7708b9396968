package dev.gleaner.kit.collector;

import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.apiguardian.api.API;

/** Where the kit's own collectors are found. */
@API(status = API.Status.STABLE, since = "0.1")
public final class KitCollectors {
  private static final String SERVICE = "META-INF/services/" + CollectorProvider.class.getName();
  private static final String HERE = "META-INF/gleaner-kit/collectors";

  private KitCollectors() {}

  /**
   * {@return a class loader that leads to the collectors {@code no-op} and {@code poison}; to be
   * given to {@link dev.gleaner.Gleaner#factory(com.typesafe.config.Config, java.util.List)}}
   */
  public static ClassLoader loader() {
    ClassLoader own = KitCollectors.class.getClassLoader();
    return new ClassLoader("gleaner-kit", own) {
      @Override
      public Enumeration<URL> getResources(String name) throws IOException {
        if (!name.equals(SERVICE)) {
          return super.getResources(name);
        }
        URL list = own.getResource(HERE);
        return list == null
            ? Collections.emptyEnumeration()
            : Collections.enumeration(Collections.singleton(list));
      }
    };
  }
}
