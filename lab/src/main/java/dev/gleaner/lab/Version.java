package dev.gleaner.lab;

import picocli.CommandLine.IVersionProvider;

/** Says which version this is, and of which Java. */
final class Version implements IVersionProvider {
  /** Is made by the command line. */
  Version() {}

  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "gleaner " + (version == null ? "of the source tree" : version),
      "Java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")"
    };
  }
}
