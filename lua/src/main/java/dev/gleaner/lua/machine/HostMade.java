package dev.gleaner.lua.machine;

/** Code that the host has made. */
interface HostMade {
  /** Returns the function of the host. */
  Object made();
}
