package dev.gleaner.lua.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dumps that a script can make, and that compilers do not. */
class CraftedDumpTest {
  private static byte[] dump(String source) {
    byte[] text = source.getBytes(StandardCharsets.ISO_8859_1);
    return Dump.write(Compiler.compile(text, "=crafted"), true);
  }

  /** Each key is what such an instruction made before, so a name would lead to all of them. */
  @Test
  void aChainOfKeysWithoutNamesIsNoRecursion() {
    byte[] chunk = dump("local t, k = ... " + "k = t[k] ".repeat(100_000) + "k()");
    OutputStream out = OutputStream.nullOutputStream();
    try (Guest guest =
        Lua.of(ConfigFactory.parseString("gleaner.collector = marksweep"))
            .openTrusted(InputStream.nullInputStream(), out, out)) {
      @Nullable Object[] results = guest.run("return load(...) ~= nil", (Object) chunk);
      assertThat(results).containsExactly(true);
      assertThatThrownBy(() -> guest.run("load(...)({1}, 1)", (Object) chunk))
          .isInstanceOf(LuaException.class)
          .hasMessageContaining("attempt to call a number value (field '?')");
    }
  }
}
