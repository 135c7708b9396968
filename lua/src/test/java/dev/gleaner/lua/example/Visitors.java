package dev.gleaner.lua.example;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestBindings;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.Image;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaMemoryException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.ImageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An example: the guests of visitors. Each is forked from an image of a guest that has run the
 * host's prelude. An idle one is parked in a file of a folder, and woken by the visitor's next
 * script. The file stays then: after a crash the visitor goes on from the last park. One server at
 * a time uses a folder.
 */
final class Visitors implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Visitors.class.getName());
  private static final int MOST_OUTPUT = 64 * 1024;
  private static final int MOST_OPEN = 1000;
  private static final String SETTINGS =
      "gleaner { memory.max = 8MiB, lua { max-calls = 10000,"
          + " call-instructions = 2000000, call-cpu-time = 2s } }";

  private final Lua lua =
      Lua.of(ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load()));
  private final GuestBindings bindings = new GuestBindings(); // the server's functions, if any
  private final ConcurrentHashMap<String, Visitor> visitors = new ConcurrentHashMap<>();
  private final Path folder;
  private final Image fresh;
  private volatile boolean closed;

  /** What a script printed, how it ended, as a status of HTTP and in words, and what it took. */
  record Reply(int status, String output, String end, long instructions, long peakBytes) {
    static Reply refused(int status, String why) {
      return new Reply(status, "", why, 0, 0);
    }
  }

  /** Keeps the beginning of what a script prints. */
  private static final class Output extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int b) {
      if (bytes.size() < MOST_OUTPUT) {
        bytes.write(b);
      }
    }

    private String take() {
      String text = bytes.toString(StandardCharsets.UTF_8);
      bytes.reset();
      return text;
    }
  }

  Visitors(String prelude, Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(folder, "*.tmp")) {
      for (Path file : unfinished) {
        Files.delete(file); // the server was killed while it wrote
      }
    }
    try (Guest guest = lua.open()) {
      Object[] _ = guest.run(prelude);
      fresh = guest.image(bindings);
    }
  }

  /** Runs a script of a visitor. Any thread may call this. */
  Reply run(String visitor, byte[] script) {
    String key = key(visitor);
    while (true) {
      if (visitors.size() >= MOST_OPEN && !visitors.containsKey(key)) {
        return Reply.refused(503, "too many visitors");
      }
      Visitor v = visitors.computeIfAbsent(key, Visitor::new);
      v.lock.lock();
      try {
        if (closed) {
          return Reply.refused(503, "the server is closing");
        }
        if (!v.gone) {
          return v.run(script);
        }
      } finally {
        v.lock.unlock();
      }
    }
  }

  /** Returns a name for files that has nothing of the visitor's, whatever that is. */
  static String key(String visitor) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(visitor.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each JVM has it", e);
    }
  }

  /** Parks the visitors who have been idle for a while. */
  void park(Duration idle) {
    for (Visitor v : visitors.values()) {
      if (v.lock.tryLock()) { // otherwise a script runs
        try {
          if (System.nanoTime() - v.used >= idle.toNanos()) {
            v.park();
          }
        } finally {
          v.lock.unlock();
        }
      }
    }
  }

  /** {@return the number of visitors who are not parked} */
  int open() {
    return visitors.size();
  }

  /** Waits for the scripts that run, and parks all visitors. */
  @Override
  public void close() {
    closed = true;
    for (Visitor v : visitors.values()) {
      v.lock.lock();
      try {
        v.park();
      } finally {
        v.lock.unlock();
      }
    }
  }

  /** One visitor, from his first script on until he is parked. The lock is for all of it. */
  private final class Visitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final String key;
    private final Path file;
    private final Output output = new Output();
    private @Nullable Guest guest;

    /** The guest that was closed, while its file cannot be written. */
    private @Nullable Image image;

    private long used = System.nanoTime();
    private boolean gone;

    Visitor(String key) {
      this.key = key;
      this.file = folder.resolve(key + ".img");
    }

    Reply run(byte[] script) {
      try {
        if (guest == null) {
          guest = lua.open(saved(), bindings, output);
          image = null;
        } else {
          guest.heap().acquire();
        }
      } catch (IOException | HeapException e) {
        return notWoken(e);
      }
      try {
        return run(guest, script);
      } finally {
        if (guest != null) {
          guest.heap().release();
        }
        used = System.nanoTime();
      }
    }

    private Reply run(Guest g, byte[] script) {
      long before = g.instructions();
      int status = 422;
      String end;
      try {
        Object[] _ = g.run(script, "=script");
        status = 200;
        end = "ok";
      } catch (LuaMemoryException _) {
        end = "not enough memory";
      } catch (GuestException e) {
        end = e.getMessage();
        if (!(e instanceof LuaException || (e instanceof LuaLimitException l && l.ofCall()))) {
          guest = null; // it was ended; the next script begins with what was parked last
          g.close();
        }
      }
      long instructions = g.instructions() - before;
      return new Reply(status, output.take(), end, instructions, g.statistics().peakBytes());
    }

    private Image saved() throws IOException {
      if (image != null) {
        return image;
      }
      return Files.exists(file) ? Image.read(file) : fresh;
    }

    private Reply notWoken(Exception e) {
      LOG.log(Level.WARNING, "a visitor cannot be woken: " + file, e);
      if (image != null || !(e instanceof ImageException)) {
        return Reply.refused(503, "what was saved of you cannot be read now; try again");
      }
      try {
        Path _ = Files.move(file, folder.resolve(key + "." + System.nanoTime() + ".damaged"));
        return Reply.refused(500, "what was saved of you is damaged; you begin anew");
      } catch (IOException _) {
        return Reply.refused(500, "what was saved of you is damaged");
      }
    }

    /** Writes the guest to its file, and closes it. It stays here if that fails. */
    void park() {
      try {
        if (guest != null) {
          guest.heap().acquire();
          image = guest.park(bindings);
          guest = null;
        }
        if (image != null) {
          image.write(file);
          image = null;
        }
        gone = visitors.remove(key, this);
      } catch (IOException | RuntimeException e) {
        LOG.log(Level.WARNING, "a visitor stays in memory: " + file, e);
        used = System.nanoTime(); // tried again after the same while
      } finally {
        if (guest != null) {
          guest.heap().release();
        }
      }
    }
  }
}
