package dev.gleaner.lab.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;

/** The live page: one file, whose style and script are allowed by their hashes and nothing else. */
final class LivePage implements WebServer.Page {
  private final String text;
  private final String policy;

  private LivePage(String text) {
    this.text = text;
    this.policy =
        "default-src 'none'; connect-src 'self'; img-src data:; style-src %s; script-src %s; "
                .formatted(hash("style"), hash("script"))
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }

  /** Loads that of {@code gleaner serve}. */
  static LivePage load() {
    return load(
        "Collectors",
        "All collectors run at once in one JVM and share its cores: see their memory and their"
            + " pauses here, and compare their speed with <code>gleaner compare</code>.");
  }

  /**
   * Loads one.
   *
   * @param rows what its rows are, in the plural
   * @param about what it shows, as HTML
   */
  static LivePage load(String rows, String about) {
    try (InputStream in = LivePage.class.getResourceAsStream("live.html")) {
      return new LivePage(
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
              .replace("@ROWS@", rows)
              .replace("@ABOUT@", about));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String hash(String element) {
    String open = "<" + element + ">";
    int from = text.indexOf(open) + open.length();
    String content = text.substring(from, text.indexOf("</" + element + ">", from));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String contentType() {
    return "text/html; charset=utf-8";
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public String policy() {
    return policy;
  }
}
