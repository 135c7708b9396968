package dev.gleaner.lua;

import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.SyntaxException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Takes lines one after the other, as an interactive prompt does: a statement may go on over
 * several, of an expression the values are printed, {@code =expression} is the same.
 *
 * <p>A console keeps a 64th of the guest's memory limit for itself, 32 KiB at most. So it takes
 * lines, {@code t = nil} for one, when a script has used up the rest.
 */
public final class Console {
  private static final String NAME = "=stdin";
  private static final String RETURN = "return ";

  /** How messages about a text end that is no whole statement yet. */
  private static final String INCOMPLETE = "<eof>";

  private final Guest guest;
  private final Reserve reserve;
  private String pending = "";

  /**
   * A console of a guest.
   *
   * @param guest open
   */
  public Console(Guest guest) {
    this.guest = guest;
    this.reserve = guest.reserve();
    reserve.take();
  }

  /** {@return what to show before the next line: _PROMPT, or _PROMPT2 within a statement} */
  public String prompt() {
    String variable = pending.isEmpty() ? "_PROMPT" : "_PROMPT2";
    String usual = pending.isEmpty() ? "> " : ">> ";
    try {
      @Nullable Object[] prompt =
          guest.run("local p = " + variable + " return p ~= nil and tostring(p) or nil");
      return prompt[0] == null ? usual : String.valueOf(prompt[0]);
    } catch (LuaException e) {
      return usual;
    }
  }

  /**
   * Takes a line. If what was begun is whole now, it runs.
   *
   * @param line without its end
   * @throws LuaException if it is no Lua, or has an error that it does not catch
   * @throws LuaLimitException as {@link Guest#run}
   */
  public void take(byte[] line) {
    String text = new String(line, StandardCharsets.ISO_8859_1);
    boolean first = pending.isEmpty();
    String whole = first ? text : pending + "\n" + text;
    if (first && text.startsWith("=")) {
      whole = RETURN + text.substring(1);
    }
    pending = "";
    if (first && problem(RETURN + whole) == null) {
      show(RETURN + whole);
      return;
    }
    String problem = problem(whole);
    if (problem != null && problem.endsWith(INCOMPLETE)) {
      pending = whole;
      return;
    }
    if (problem != null) {
      throw syntax(problem);
    }
    show(whole);
  }

  /**
   * Says that no line follows.
   *
   * @throws LuaException if a statement is not whole
   */
  public void end() {
    String problem = pending.isEmpty() ? null : problem(pending);
    pending = "";
    if (problem != null) {
      throw syntax(problem);
    }
  }

  private void show(String text) {
    guest.show(text.getBytes(StandardCharsets.ISO_8859_1), NAME, reserve);
  }

  private static LuaException syntax(String problem) {
    byte[] bytes = problem.getBytes(StandardCharsets.ISO_8859_1);
    return new LuaException(new String(bytes, StandardCharsets.UTF_8), problem, "");
  }

  private static @Nullable String problem(String text) {
    try {
      var _ = Compiler.compile(text.getBytes(StandardCharsets.ISO_8859_1), NAME);
      return null;
    } catch (SyntaxException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
