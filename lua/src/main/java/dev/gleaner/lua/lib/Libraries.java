package dev.gleaner.lua.lib;

import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Sandbox;
import org.jspecify.annotations.Nullable;

/** Adds the libraries of strings, UTF-8, tables, numbers, the system and files to a machine. */
public final class Libraries {
  private Libraries() {}

  /**
   * Returns a file of an image.
   *
   * @param name the name that the file has there
   * @param sandbox has the streams
   * @return null if no file is known by that name
   */
  public static @Nullable Object file(String name, Sandbox sandbox) {
    return LuaFile.restored(name, sandbox);
  }

  /**
   * Adds them, as far as the machine's sandbox grants what they reach.
   *
   * @param machine whose tables of libraries are made
   */
  public static void open(Machine machine) {
    LibraryTexts texts = new LibraryTexts(machine.mutator());
    StringLibrary.open(machine, texts);
    Utf8Library.open(machine, texts);
    TableLibrary.open(machine, texts);
    MathLibrary.open(machine);
    IoLibrary.open(machine, texts);
    OsLibrary.open(machine, texts);
    machine.endLibraries();
  }
}
