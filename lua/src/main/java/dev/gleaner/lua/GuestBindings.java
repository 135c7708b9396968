package dev.gleaner.lua;

import dev.gleaner.lua.machine.Bound;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is the host's in an image of a guest, by names that both sides know.
 *
 * <pre>{@code
 * GuestBindings bound = new GuestBindings().function("log", log).object("db", database);
 * Image image = guest.image(bound);
 * Guest copy = lua.open(image, bound);
 * }</pre>
 *
 * <p>Functions of the host are saved under the name with which they were set: {@code "log"} after
 * {@code guest.set("log", log)}, and {@code "api.log"} after {@code guest.set("api", Map.of("log",
 * log))}. They need bindings only where an image is opened. Bindings are for one Java thread.
 */
public final class GuestBindings {
  private final Bound bound = new Bound();

  /** Makes bindings without a name. */
  public GuestBindings() {}

  Bound bound() {
    return bound;
  }

  /**
   * Binds a function of the host.
   *
   * @param name the name with which it was set in the guest that was saved
   * @param function what the new guest has under this name
   * @return these bindings
   * @throws IllegalArgumentException if the name is bound already
   */
  public GuestBindings function(String name, HostFunction function) {
    bound.bindFunction(name, function);
    return this;
  }

  /**
   * Binds a routine of the host.
   *
   * @param name the name with which it was set in the guest that was saved
   * @param routine what the new guest has under this name
   * @return these bindings
   * @throws IllegalArgumentException if the name is bound already
   */
  public GuestBindings routine(String name, HostRoutine routine) {
    bound.bindRoutine(name, routine);
    return this;
  }

  /**
   * Binds an object of the host, which both sides have: a userdata of one is a userdata of the
   * other. A routine that {@link Answer} names as the next one is bound so, too.
   *
   * @param name the name
   * @param value the object
   * @return these bindings
   * @throws IllegalArgumentException if the name or the object is bound already
   */
  public GuestBindings object(String name, Object value) {
    return object(name, value, null);
  }

  /**
   * Binds an object of the host, as {@link #object(String, Object)} does.
   *
   * @param name the name
   * @param value the object
   * @param release told once, when its userdata in the new guest is reclaimed or that guest is
   *     closed, and not if the image cannot be opened; null for nobody
   * @return these bindings
   * @throws IllegalArgumentException if the name or the object is bound already
   */
  public GuestBindings object(String name, Object value, @Nullable Consumer<Object> release) {
    bound.bind(name, value, release);
    return this;
  }

  /**
   * Binds a type of the host's objects, which are saved by their state.
   *
   * @param <T> the type
   * @param name the name of the type
   * @param type the class, or an interface that classes implement
   * @param write returns the state of an object; null refuses the image, with a path to the object
   * @param read makes an object of a state, which may be anybody's if the image comes from others;
   *     null refuses the image
   * @param release told once for each object that was made, when its userdata in the new guest is
   *     reclaimed, that guest is closed, or the image cannot be opened; null for nobody
   * @return these bindings
   * @throws IllegalArgumentException if the name is bound already
   */
  public <T> GuestBindings type(
      String name,
      Class<T> type,
      Function<? super T, byte @Nullable []> write,
      Function<byte[], ? extends @Nullable T> read,
      @Nullable Consumer<Object> release) {
    bound.bindType(name, type, write, read, release);
    return this;
  }

  /**
   * Has the instructions that ran before a guest was saved count in the guest that is opened.
   * Without this call the new guest begins at 0.
   *
   * @return these bindings
   */
  public GuestBindings countOn() {
    bound.countOn();
    return this;
  }
}
