package dev.gleaner.kit.oracle;

import dev.gleaner.kit.oracle.Script.Scope;
import dev.gleaner.layout.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes down, as expectations of a script, what must hold where a program is: first in the
 * innermost block, then in each block around it, at last after collections, which are done on the
 * model alone.
 *
 * <p>This uses up the model. By the exact rule all is expected; otherwise what finalizers ran, and
 * how much is alive, only when enough collections have settled it.
 */
final class Expectations {
  private static final int MOST_SLOTS = 30;
  private static final int MOST_UNDEFINED = 2;
  private static final int MOST_ELEMENTS = 150;
  private static final int LONGEST_TEXT = 60;

  private final Twin twin;
  private final ShadowHeap shadow;
  private final Map<ShadowElement, String> names = new HashMap<>();
  private final Deque<ShadowElement> unseen = new ArrayDeque<>();
  private final Map<String, IdentityHash> hashes = new HashMap<>();
  private final List<String> temporaries = new ArrayList<>();
  private int made;

  Expectations(Twin twin) {
    this.twin = twin;
    this.shadow = twin.shadow;
  }

  /**
   * Writes all.
   *
   * @param close whether to close the heap at the end
   */
  void append(boolean close) {
    if (!twin.sayable) {
      twin.script.comment("what went before was not said in full; nothing more is known");
      twin.say("expect intact");
      return;
    }
    if (twin.isCollectingInside()) {
      twin.say("collect");
    }
    if (twin.timed && twin.isFinalizing()) {
      twin.collector.foreseeFinalizers();
    }
    state(twin.timed);
    globals();
    graph();
    while (!twin.inMainFrame() || twin.script.top().scope == Scope.WRAPPER) {
      leaveBlock();
    }
    if (twin.timed) {
      for (int i = 0; i < 2; i++) {
        twin.say("collect");
        twin.collector.foresee();
        state(true);
      }
    } else {
      Script.Block repeat =
          twin.script.open(Scope.WRAPPER, "repeat " + twin.collector.foreseeSettled());
      twin.say("collect");
      twin.script.close(repeat);
      state(true);
    }
    globals();
    graph();
    if (close && twin.timed) {
      String labels = twin.collector.foreseeClose();
      twin.say("close");
      twin.say("expect finalized" + shadow.calls.inOrder() + labels);
      twin.say("expect alive 0");
    }
  }

  private void leaveBlock() {
    Script.Block block = twin.script.top();
    switch (block.scope) {
      case FRAME -> {
        ShadowThread.Frame _ = shadow.thread().frames.removeLast();
        twin.script.close(block);
        graph();
      }
      case RESUME -> {
        ShadowThread.Frame _ = shadow.thread().frames.removeLast();
        shadow.switchBack();
        twin.script.close(block);
        graph();
      }
      case FINALIZER -> {
        twin.leaveFinalizer();
        if (twin.timed) {
          twin.collector.foreseeFinalizers();
        }
        graph();
      }
      case WRAPPER -> twin.script.close(block);
      case FILE -> throw new AssertionError("a frame without a block");
    }
  }

  /** Figures, calls, weak references. */
  private void state(boolean settled) {
    twin.say("expect intact");
    if (settled) {
      twin.say("expect alive " + shadow.programElements());
      twin.say(
          "expect finalized" + (twin.timed ? shadow.calls.inOrder() : shadow.calls.inAnyOrder()));
      shadow.calls.clear();
      shadow.weaks.forEach(
          (w, weak) -> twin.say("expect " + (weak.cleared ? "cleared" : "held") + " ~w" + w));
    }
  }

  private void globals() {
    shadow.globals.forEach((g, global) -> {
      if (global.value != Special.UNDEFINED) {
        name("@g" + g, global.value);
      }
    });
  }

  /** What the slots of the frame hold, and what that, and what was named before, leads to. */
  private void graph() {
    ShadowThread.Frame frame = twin.frame();
    for (int i = 0; i < frame.slots.size(); i++) {
      if (frame.slots.get(i) != Special.UNDEFINED) {
        name(frame.name(i), frame.slots.get(i));
      }
    }
    for (int n = 0; !unseen.isEmpty() && n < MOST_ELEMENTS; n++) {
      contents(unseen.remove());
    }
    hashes.forEach((place, hash) -> {
      String of = names.get(hash.of());
      if (of != null) {
        twin.say("expect hash " + of + " == " + place);
      }
    });
    if (!temporaries.isEmpty()) {
      twin.say("drop " + String.join(" ", temporaries));
    }
    names.clear();
    unseen.clear();
    hashes.clear();
    temporaries.clear();
  }

  /** A local or a global holds this. */
  private void name(String place, Object value) {
    if (value instanceof ShadowElement e && !isValue(e) && !names.containsKey(e)) {
      names.put(e, place);
      unseen.add(e);
    } else {
      expect(place, value);
    }
  }

  private void expect(String place, Object value) {
    switch (value) {
      case ShadowElement e when e.kind == Kind.STRING -> {
        if (e.text.length() <= LONGEST_TEXT) {
          twin.say("expect " + place + " == " + Script.quoted(e.text));
        }
      }
      case ShadowElement e when e.kind == Kind.INTEGER ->
          twin.say("expect " + place + " == " + e.integer);
      case ShadowElement e -> {
        String name = names.get(e);
        if (name == null) {
          String temporary = "t" + made++;
          temporaries.add(temporary);
          twin.say("set " + temporary + " " + place);
          name(temporary, e);
        } else {
          twin.say("expect " + place + " == " + name);
        }
      }
      case IdentityHash hash -> hashes.put(place, hash);
      case Special s ->
          twin.say("expect " + place + " == " + (s == Special.NULL ? "null" : "undefined"));
      default -> twin.say("expect " + place + " == " + value);
    }
  }

  private static boolean isValue(ShadowElement e) {
    return e.kind == Kind.STRING || e.kind == Kind.INTEGER;
  }

  private static boolean isShort(Object key) {
    return !(key instanceof ShadowElement e)
        || (e.kind == Kind.STRING && e.text.length() <= LONGEST_TEXT);
  }

  private void contents(ShadowElement e) {
    String name = names.get(e);
    for (int i = 0; i < Math.min(e.slots.length, MOST_SLOTS); i++) {
      if (e.slots[i] != Special.UNDEFINED || i < MOST_UNDEFINED) {
        expect(name + "." + i, e.slots[i]);
      }
    }
    if (e.kind == Kind.OBJECT) {
      expect(name + ".proto", e.prototype);
      e.properties.entrySet().stream()
          .filter(p -> isShort(p.getKey()))
          .limit(MOST_SLOTS)
          .forEach(p -> expect(name + "[" + key(p.getKey()) + "]", p.getValue()));
    }
    if (e.pattern >= 0 && e.bytes.length > 0) {
      twin.say("expect filled " + name + " " + e.pattern);
    }
  }

  /** A key by its value: no element, or a string. */
  private static String key(Object key) {
    return key instanceof ShadowElement e ? Script.quoted(e.text) : key.toString();
  }
}
