package dev.gleaner.lua.script;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.lua.Answer;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.Invocation;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.Script;
import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import javax.script.AbstractScriptEngine;
import javax.script.Bindings;
import javax.script.Compilable;
import javax.script.CompiledScript;
import javax.script.Invocable;
import javax.script.ScriptContext;
import javax.script.ScriptEngineFactory;
import javax.script.ScriptException;
import javax.script.SimpleBindings;
import org.jspecify.annotations.Nullable;

/**
 * One guest, opened when it is first used, in the Java thread that does so. The global variables of
 * a script are the bindings of its context; behind them are those of the libraries.
 *
 * <p>Attributes of the context that begin with "gleaner." are settings, such as
 * "gleaner.memory.max": those that are there when the guest is opened, over the configuration.
 */
public final class LuaEngine extends AbstractScriptEngine
    implements Compilable, Invocable, AutoCloseable {
  private final LuaEngineFactory factory;
  private final ContextOutput output = new ContextOutput();
  private @Nullable Guest guest;
  private boolean closed;

  LuaEngine(LuaEngineFactory factory) {
    this.factory = factory;
  }

  /** {@return the guest, for its figures and to interrupt it} */
  public Guest guest() {
    Guest open = guest;
    if (closed) {
      throw new IllegalStateException("the engine is closed");
    }
    if (open == null) {
      open = Lua.of(config()).open(output);
      guest = open;
    }
    return open;
  }

  private Config config() {
    Config config = ConfigFactory.load(LuaEngine.class.getClassLoader());
    for (int scope : new int[] {ScriptContext.GLOBAL_SCOPE, ScriptContext.ENGINE_SCOPE}) {
      Bindings bindings = getContext().getBindings(scope);
      if (bindings != null) {
        for (Map.Entry<String, Object> e : bindings.entrySet()) {
          if (e.getKey().startsWith("gleaner.")) {
            config =
                config.withValue(
                    e.getKey(), ConfigValueFactory.fromAnyRef(String.valueOf(e.getValue())));
          }
        }
      }
    }
    return config;
  }

  // ---- evaluation ----

  @Override
  public @Nullable Object eval(String script, ScriptContext context) throws ScriptException {
    return run(parse(script, context), context);
  }

  @Override
  public @Nullable Object eval(Reader reader, ScriptContext context) throws ScriptException {
    return eval(text(reader), context);
  }

  private static String text(Reader reader) throws ScriptException {
    try {
      StringBuilder text = new StringBuilder();
      char[] piece = new char[8192];
      for (int n = reader.read(piece); n >= 0; n = reader.read(piece)) {
        text.append(piece, 0, n);
      }
      return text.toString();
    } catch (IOException e) {
      throw new ScriptException(e);
    }
  }

  private static Script parse(String text, ScriptContext context) throws ScriptException {
    Object name = context.getAttribute(FILENAME);
    try {
      return name == null
          ? Lua.prepare(text)
          : Lua.prepare(text.getBytes(StandardCharsets.UTF_8), "@" + name);
    } catch (GuestException e) {
      throw failure(e);
    }
  }

  @Nullable Object run(Script script, ScriptContext context) throws ScriptException {
    return within(
        context,
        () -> {
          IdentityHashMap<Object, LuaValue> tables = new IdentityHashMap<>();
          try (LuaValue environment = environment(context, tables)) {
            return first(guest().runIn(environment, script));
          } finally {
            tables.values().forEach(LuaValue::close);
          }
        });
  }

  private static @Nullable Object first(@Nullable Object[] results) {
    return results.length == 0 ? null : results[0];
  }

  private @Nullable Object within(ScriptContext context, Supplier<@Nullable Object> work)
      throws ScriptException {
    Guest _ = guest();
    output.setWriter(context.getWriter());
    GuestException failed = null;
    Object result = null;
    try {
      result = work.get();
    } catch (GuestException e) {
      failed = e;
    }
    try {
      output.flush();
    } catch (IOException e) {
      throw new ScriptException(e);
    }
    if (failed != null) {
      throw failure(failed);
    }
    return result;
  }

  private static ScriptException failure(GuestException e) {
    ScriptException made =
        e instanceof LuaException error && error.line() >= 0
            ? new ScriptException(e.getMessage(), error.source(), error.line())
            : new ScriptException(e.getMessage());
    made.initCause(e);
    return made;
  }

  /**
   * A table that is always empty: its metatable leads to the context. A collection there is the
   * same table until the evaluation ends.
   */
  private LuaValue environment(ScriptContext context, IdentityHashMap<Object, LuaValue> tables) {
    LuaValue table = guest().newTable();
    LuaValue meta = guest().newTable();
    meta.set("__index", (HostRoutine) call -> Answer.results(global(context, call, tables)));
    meta.set(
        "__newindex",
        (HostRoutine)
            call -> {
              Object value = call.get(3);
              Object kept = value instanceof LuaValue v ? v.keep() : value;
              Bindings bindings = context.getBindings(ScriptContext.ENGINE_SCOPE);
              if (kept == null) {
                bindings.remove(call.string(2));
              } else {
                bindings.put(call.string(2), kept);
              }
              return Answer.results();
            });
    table.setMetatable(meta);
    meta.close();
    return table;
  }

  private @Nullable Object global(
      ScriptContext context, Invocation call, IdentityHashMap<Object, LuaValue> tables) {
    String name = call.string(2);
    if (name.isEmpty()) {
      return guest().get(name);
    }
    Object value = context.getAttribute(name);
    return value == null
        ? guest().get(name)
        : isContainer(value) ? tables.computeIfAbsent(value, this::table) : settable(value);
  }

  private static boolean isContainer(Object value) {
    return value instanceof Collection
        || value instanceof Map
        || (value.getClass().isArray() && !(value instanceof byte[]));
  }

  /** A table that lasts, with what a collection has. */
  private LuaValue table(Object collection) {
    LuaValue table = guest().newTable(collection);
    LuaValue kept = table.keep();
    table.close();
    return kept;
  }

  /** An object that scripts know nothing of is a userdata without a metatable. */
  private Object settable(Object value) {
    return switch (value) {
      case Boolean b -> b;
      case Number n -> number(n);
      case String s -> s;
      case LuaValue v -> v;
      case HostRoutine r -> r;
      case HostFunction f -> f;
      default -> isContainer(value) ? value : guest().newUserdata(value, null, null);
    };
  }

  private Object number(Number n) {
    return switch (n) {
      case Long _, Integer _, Short _, Byte _, Double _, Float _ -> n;
      default -> guest().newUserdata(n, null, null);
    };
  }

  // ---- compiled scripts ----

  @Override
  public CompiledScript compile(String script) throws ScriptException {
    Script parsed = parse(script, getContext());
    return new CompiledScript() {
      @Override
      public @Nullable Object eval(ScriptContext context) throws ScriptException {
        return run(parsed, context);
      }

      @Override
      public LuaEngine getEngine() {
        return LuaEngine.this;
      }
    };
  }

  @Override
  public CompiledScript compile(Reader script) throws ScriptException {
    return compile(text(script));
  }

  // ---- calls ----

  @Override
  public @Nullable Object invokeFunction(String name, Object... arguments)
      throws ScriptException, NoSuchMethodException {
    return call(name, global(Objects.requireNonNull(name, "name")), arguments);
  }

  private @Nullable Object global(String name) {
    Object bound = getContext().getAttribute(name);
    return bound == null ? guest().get(name) : bound;
  }

  @Override
  public @Nullable Object invokeMethod(Object thiz, String name, Object... arguments)
      throws ScriptException, NoSuchMethodException {
    if (!(thiz instanceof LuaValue object)) {
      throw new IllegalArgumentException("no value of a script: " + thiz);
    }
    Object[] all = new Object[arguments.length + 1];
    all[0] = object;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return call(name, object.get(Objects.requireNonNull(name, "name")), all);
  }

  private @Nullable Object call(String name, @Nullable Object function, Object[] arguments)
      throws ScriptException, NoSuchMethodException {
    if (!(function instanceof LuaValue f) || !f.type().equals("function")) {
      throw new NoSuchMethodException(name);
    }
    return within(
        getContext(),
        () -> {
          @Nullable Object[] given = new Object[arguments.length];
          for (int i = 0; i < given.length; i++) {
            given[i] = arguments[i] == null ? null : settable(arguments[i]);
          }
          return first(f.call(given));
        });
  }

  @Override
  public <T> @Nullable T getInterface(Class<T> type) {
    return proxy(type, null);
  }

  @Override
  public <T> @Nullable T getInterface(Object thiz, Class<T> type) {
    if (!(thiz instanceof LuaValue object)) {
      throw new IllegalArgumentException("no value of a script: " + thiz);
    }
    return proxy(type, object);
  }

  private <T> @Nullable T proxy(Class<T> type, @Nullable LuaValue object) {
    if (!type.isInterface()) {
      throw new IllegalArgumentException("no interface: " + type.getName());
    }
    for (Method m : type.getMethods()) {
      Object found = object == null ? global(m.getName()) : object.get(m.getName());
      boolean is = found instanceof LuaValue f && f.type().equals("function");
      if (!m.isDefault() && !Modifier.isStatic(m.getModifiers()) && !is) {
        return null;
      }
    }
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object[] given = arguments == null ? new Object[0] : arguments;
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(this, given);
          }
          return as(
              method.getReturnType(),
              object == null
                  ? invokeFunction(method.getName(), given)
                  : invokeMethod(object, method.getName(), given));
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object as(Class<?> type, @Nullable Object value) {
    if (value instanceof Number n) {
      return switch (type.getName()) {
        case "int", "java.lang.Integer" -> n.intValue();
        case "long", "java.lang.Long" -> n.longValue();
        case "short", "java.lang.Short" -> n.shortValue();
        case "byte", "java.lang.Byte" -> n.byteValue();
        case "float", "java.lang.Float" -> n.floatValue();
        case "double", "java.lang.Double" -> n.doubleValue();
        default -> value;
      };
    }
    return type == boolean.class ? value != null && !Boolean.FALSE.equals(value) : value;
  }

  // ---- the rest ----

  @Override
  public Bindings createBindings() {
    return new SimpleBindings();
  }

  @Override
  public ScriptEngineFactory getFactory() {
    return factory;
  }

  /** Closes the guest. */
  @Override
  public void close() {
    closed = true;
    if (guest != null) {
      guest.close();
    }
  }
}
