package dev.gleaner.lua.script;

import java.util.List;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineFactory;
import org.jspecify.annotations.Nullable;

/** Makes engines: {@code new ScriptEngineManager().getEngineByName("lua")}. */
public final class LuaEngineFactory implements ScriptEngineFactory {
  private static final String VERSION = "5.4";

  /** A factory, for the service loader. */
  public LuaEngineFactory() {}

  @Override
  public String getEngineName() {
    return "Gleaner Lua";
  }

  @Override
  public String getEngineVersion() {
    return VERSION;
  }

  @Override
  public List<String> getExtensions() {
    return List.of("lua");
  }

  @Override
  public List<String> getMimeTypes() {
    return List.of("text/x-lua", "application/x-lua");
  }

  @Override
  public List<String> getNames() {
    return List.of("lua", "Lua");
  }

  @Override
  public String getLanguageName() {
    return "Lua";
  }

  @Override
  public String getLanguageVersion() {
    return VERSION;
  }

  @Override
  public @Nullable Object getParameter(String key) {
    return switch (key) {
      case ScriptEngine.ENGINE -> getEngineName();
      case ScriptEngine.ENGINE_VERSION, ScriptEngine.LANGUAGE_VERSION -> VERSION;
      case ScriptEngine.LANGUAGE -> getLanguageName();
      case ScriptEngine.NAME -> "lua";
      default -> null; // THREADING among them: an engine belongs to one thread
    };
  }

  @Override
  public String getMethodCallSyntax(String object, String method, String... arguments) {
    return object + ":" + method + "(" + String.join(", ", arguments) + ")";
  }

  @Override
  public String getOutputStatement(String text) {
    StringBuilder s = new StringBuilder("io.write(\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> s.append('\\').append(c);
        case '\n' -> s.append("\\n");
        case '\r' -> s.append("\\r");
        case '\0' -> s.append("\\0");
        default -> s.append(c);
      }
    }
    return s.append("\")").toString();
  }

  @Override
  public String getProgram(String... statements) {
    return String.join("\n", statements) + "\n";
  }

  @Override
  public ScriptEngine getScriptEngine() {
    return new LuaEngine(this);
  }
}
