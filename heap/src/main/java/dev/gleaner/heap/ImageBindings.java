package dev.gleaner.heap;

import dev.gleaner.image.ImageRole;
import dev.gleaner.image.ImageWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is Java's in a heap that is saved as an image, and in one that is opened from it: a name for
 * each object when it is saved, and the object of each name when it is opened. A name is any bytes:
 * a name that both sides know, or the object's state.
 *
 * <p>{@link NamedObjects} has a map of names. The heap calls these methods on its own Java thread;
 * they must not use the heap.
 */
public interface ImageBindings {
  /** What a Java object is to a heap. */
  enum Role {
    /** The Java object of a native element. */
    NATIVE,
    /** The on-free callback of a native element, a {@link FreeCallback}. */
    FREE_CALLBACK,
    /** The Java object that is attached to a thread element. */
    THREAD_OBJECT,
    /** A {@link Finalizer}. */
    FINALIZER,
    /** The code number of functions, an {@link Integer}. */
    CODE;

    static Role of(ImageRole role) {
      return valueOf(role.name());
    }

    /** Returns the bindings as the writer of images asks for names. */
    static ImageWriter.Names names(ImageBindings bindings) {
      return new ImageWriter.Names() {
        @Override
        public byte @Nullable [] write(ImageRole role, Object object) {
          return bindings.write(of(role), object);
        }

        @Override
        public String describe(ImageRole role, Object object) {
          return bindings.describe(of(role), object);
        }
      };
    }

    private String text() {
      return ImageRole.valueOf(name()).text();
    }
  }

  /**
   * Returns the name of an object in the image. The heap asks once for each object.
   *
   * @param role what the object is to the heap
   * @param object the object
   * @return null if nothing is bound to the object: then the heap cannot be saved
   */
  byte @Nullable [] write(Role role, Object object);

  /**
   * Returns the object of a name in the image. The heap asks once for each object that was saved.
   *
   * @param role what the object is to the heap
   * @param name the name, as {@link #write} returned it; anything if the image comes from others
   * @return null if nothing is bound to the name: then the image cannot be opened
   */
  @Nullable Object read(Role role, byte[] name);

  /**
   * Returns what an object is, for the message that it has no name.
   *
   * @param role what the object is to the heap
   * @param object the object
   * @return by default the role, and the object's class
   */
  default String describe(Role role, Object object) {
    return role.text() + " " + (role == Role.CODE ? object : "of " + object.getClass().getName());
  }

  /** {@return the global references that are saved, by their names; by default none} */
  default Map<String, GlobalRef> globals() {
    return Map.of();
  }

  /**
   * Takes a global reference of a heap that was opened. The heap may be used from then on.
   *
   * @param name the name under which it was saved
   * @param ref the global reference, which belongs to the new heap
   */
  default void global(String name, GlobalRef ref) {}
}
