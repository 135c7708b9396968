package dev.gleaner.lua.fuzz;

import dev.gleaner.lua.Oracle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Mutations bytes of the test programs, and of patterns and formats, at random. */
final class Mutations {
  private static final String[] TOKENS = {
    "end",
    "local ",
    "function",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "--",
    "--[[",
    "\n",
    "..",
    "...",
    "=",
    "==",
    "~=",
    "<close>",
    "<const>",
    "goto a",
    "::a::",
    "for ",
    " in ",
    " do ",
    "if ",
    " then ",
    "else",
    "elseif ",
    "while ",
    "repeat ",
    "until ",
    "return ",
    "break",
    "not ",
    " and ",
    " or ",
    "nil",
    "true",
    "0x",
    "1e",
    "9223372036854775807",
    "0x1p-1074",
    "\"",
    "'",
    "\\x",
    "\\u{",
    "\\z",
    "\\",
    "%",
    "//",
    "<<",
    "self",
    "_ENV",
    ";",
    ",",
    ".",
    ":",
    "#",
    "&",
    "|",
    "~",
    "-",
    "^",
  };

  static final String[] PATTERNS = {
    "%a+",
    "(%d*)-(%d*)",
    "%b()",
    "%f[%w]%w+",
    "^%s*(.-)%s*$",
    "[^%z]*",
    "[%w_]-x",
    "()%1",
    "%g",
    "(a*(.)%w(%s*))",
    "[a-z]+[]%-]",
    "%%",
    ".*.*.*b",
    "[%]a]",
    "%f[^%z]",
    "\0[\1-\377]",
    "((()))",
  };

  static final String[] FORMATS = {
    "%d",
    "%5.2f",
    "%-10s|",
    "%q",
    "%x%X%o",
    "%c%c",
    "%g %e %a",
    "%i",
    "%%",
    "%+08.3d",
    "%#x",
    "%.99f",
    "%99.99g",
    "%s %s",
    "%5q",
    "%p",
    "% d",
    "%.20s",
  };

  static final String[] PACKINGS = {
    "<i4",
    ">I2i8",
    "=!8 bBhHlLjJT",
    "s1s2",
    "z",
    "x",
    "Xi4",
    "f d n",
    "i16",
    "!4 i3 Xi4",
    "c5",
    "<!16 s16",
    " < > = !",
    "i17",
    "c99999",
    "j\0j",
  };

  final SplittableRandom random;
  private final List<byte[]> corpus = new ArrayList<>();

  Mutations(long seed) {
    random = new SplittableRandom(seed);
    Path resources = Path.of("src", "test", "resources");
    for (String folder : new String[] {"programs", "fuzz"}) {
      try (Stream<Path> files = Files.list(resources.resolve(folder))) {
        for (Path f : files.filter(f -> f.toString().endsWith(".lua")).sorted().toList()) {
          corpus.add(Files.readAllBytes(f));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    String hostile = Oracle.resource(Mutations.class, "/hostile/scripts.txt");
    for (String script : hostile.split("\n--- [^\n]*\n", -1)) {
      corpus.add(script.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /** A piece of a program, changed. */
  byte[] program() {
    byte[] from = corpus.get(random.nextInt(corpus.size()));
    int length = random.nextInt(8) == 0 ? from.length : Math.min(from.length, 400);
    int start = startOfLine(from, random.nextInt(from.length - length + 1));
    return change(Arrays.copyOfRange(from, start, Math.min(from.length, start + length)));
  }

  private static int startOfLine(byte[] text, int at) {
    int start = at;
    while (start > 0 && text[start - 1] != '\n') {
      start--;
    }
    return start;
  }

  byte[] change(String text) {
    return change(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Some bytes of another value, lost, doubled, or of elsewhere. */
  byte[] change(byte[] text) {
    byte[] result = text;
    for (int n = random.nextInt(1, 6); n > 0; n--) {
      int at = random.nextInt(result.length + 1);
      int end = Math.min(result.length, at + random.nextInt(1, 12));
      byte[] put =
          switch (random.nextInt(6)) {
            case 0 -> new byte[] {(byte) random.nextInt(256)};
            case 1 -> new byte[0];
            case 2 -> join(result, at, end, result, at, end);
            case 3 -> TOKENS[random.nextInt(TOKENS.length)].getBytes(StandardCharsets.ISO_8859_1);
            case 4 -> {
              byte[] other = corpus.get(random.nextInt(corpus.size()));
              int from = random.nextInt(other.length);
              yield Arrays.copyOfRange(other, from, Math.min(other.length, from + 20));
            }
            default -> {
              byte[] flipped = Arrays.copyOfRange(result, at, end);
              if (flipped.length > 0) {
                flipped[0] ^= (byte) (1 << random.nextInt(8));
              }
              yield flipped;
            }
          };
      byte[] head = join(result, 0, at, put, 0, put.length);
      int rest = random.nextBoolean() ? end : at;
      result = join(head, 0, head.length, result, rest, result.length);
    }
    return result;
  }

  private static byte[] join(byte[] a, int from, int to, byte[] b, int start, int end) {
    byte[] all = Arrays.copyOf(Arrays.copyOfRange(a, from, to), to - from + end - start);
    System.arraycopy(b, start, all, to - from, end - start);
    return all;
  }

  /** A dump of which some words are others: the length is kept, so that more of it is looked at. */
  byte[] overwrite(byte[] dump) {
    byte[] result = dump.clone();
    for (int n = random.nextInt(1, 5); n > 0; n--) {
      int at = random.nextInt(6, result.length);
      result[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) random.nextInt(256);
            case 1 -> (byte) (result[at] + random.nextInt(-2, 3));
            case 2 -> result[random.nextInt(6, result.length)];
            default -> (byte) (result[at] ^ 1 << random.nextInt(8));
          };
    }
    return result;
  }
}
