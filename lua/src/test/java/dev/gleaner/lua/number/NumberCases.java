package dev.gleaner.lua.number;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Random numbers and numerals, what lua5.4 is asked about them, and what we say. */
final class NumberCases {
  static final String WRITE =
      """
      for l in io.lines(arg[1]) do
        local spec, bits = l:match('^(%S+) (%S+)$')
        local v = string.unpack('<d', string.pack('<j', math.tointeger(tonumber('0x' .. bits))))
        print(spec == 't' and tostring(v) or spec:format(v))
      end
      """;
  static final String READ =
      """
      for l in io.lines(arg[1]) do
        local v = tonumber((l:gsub('~', '\\n')))
        print(v == nil and 'nil' or math.type(v) == 'integer' and 'i' .. v or ('%a'):format(v))
      end
      """;

  private static final String CONVERSIONS = "aAeEfgG";

  private final Random random;
  private final FloatFormat floats = new FloatFormat();
  private final NumberWriter writer = new NumberWriter();
  private final NumberReader reader = new NumberReader();
  private final byte[] bytes = new byte[FloatFormat.MOST];

  NumberCases(long seed) {
    random = new Random(seed);
  }

  private double number() {
    double v =
        switch (random.nextInt(6)) {
          case 0 -> Double.longBitsToDouble(random.nextLong());
          case 1 -> random.nextInt(100_000) / 1000.0;
          case 2 -> random.nextLong();
          case 3 -> random.nextInt(1000) * Math.pow(10, random.nextInt(40) - 20);
          case 4 -> (random.nextInt(2000) + 0.5) / (1 << random.nextInt(20));
          default -> Double.longBitsToDouble(random.nextLong() & 0x801F_FFFF_FFFF_FFFFL);
        };
    return Double.isNaN(v) ? 0 : v;
  }

  /** A case of writing: a conversion, or t for tostring, and the bits of a double. */
  String written() {
    String spec = "t";
    if (random.nextInt(3) > 0) {
      char conversion = CONVERSIONS.charAt(random.nextInt(CONVERSIONS.length()));
      // The C library is wrong about %#g where rounding adds a digit, so that is left out.
      boolean alternate = random.nextInt(3) == 0 && conversion != 'g' && conversion != 'G';
      int precision =
          random.nextInt(4) == 0 ? -1 : random.nextInt(random.nextInt(3) == 0 ? 100 : 20);
      spec =
          "%"
              + (alternate ? "#" : "")
              + (random.nextInt(4) == 0 ? "+" : "")
              + (precision < 0 ? "" : "." + precision)
              + conversion;
    }
    return spec + " " + String.format("%016x", Double.doubleToRawLongBits(number()));
  }

  /** What we write in such a case. */
  String write(String written) {
    String spec = written.substring(0, written.indexOf(' '));
    long bits = Long.parseUnsignedLong(written.substring(spec.length() + 1), 16);
    double v = Double.longBitsToDouble(bits);
    int end;
    if (spec.equals("t")) {
      end = writer.write(v, bytes, 0);
    } else {
      int flags = spec.contains("#") ? FloatFormat.ALTERNATE : 0;
      flags |= spec.contains("+") ? FloatFormat.PLUS : 0;
      int point = spec.indexOf('.');
      int last = spec.length() - 1;
      int precision = point < 0 ? -1 : Integer.parseInt(spec.substring(point + 1, last));
      end = floats.write(v, spec.charAt(last), flags, precision, bytes, 0);
    }
    return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
  }

  private String digits(String from, int most, int rarely) {
    int n = random.nextInt(100) == 0 ? random.nextInt(rarely) : random.nextInt(most);
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < n; i++) {
      s.append(from.charAt(random.nextInt(random.nextInt(3) == 0 ? 1 : from.length())));
    }
    return s.toString();
  }

  /** A numeral, or something like one; ~ stands for the end of a line. */
  String numeral() {
    return switch (random.nextInt(8)) {
      case 0 -> Double.toString(Double.longBitsToDouble(random.nextLong()));
      case 1 -> {
        long end = random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
        yield BigInteger.valueOf(end).add(BigInteger.valueOf(random.nextInt(21) - 10)).toString();
      }
      case 2 -> halfWay();
      default -> likeANumeral();
    };
  }

  private String halfWay() {
    double d = Double.longBitsToDouble(random.nextLong() & Long.MAX_VALUE);
    if (Double.isNaN(d) || Double.isInfinite(d) || d == Double.MAX_VALUE) {
      return "1";
    }
    BigDecimal half =
        new BigDecimal(d).add(new BigDecimal(Math.nextUp(d))).divide(BigDecimal.valueOf(2));
    String plain = half.toString();
    boolean more = random.nextBoolean() && !plain.contains("E");
    return more ? plain + (plain.contains(".") ? "" : ".") + "0000000001" : plain;
  }

  private String likeANumeral() {
    boolean hex = random.nextInt(3) == 0;
    String all = hex ? "0123456789abcdefABCDEF" : "0123456789";
    StringBuilder s = new StringBuilder();
    s.append(random.nextInt(8) == 0 ? (random.nextBoolean() ? " " : "~\t") : "");
    s.append(random.nextInt(3) == 0 ? (random.nextBoolean() ? "-" : "+") : "");
    s.append(hex ? (random.nextBoolean() ? "0x" : "0X") : "");
    s.append(digits(all, random.nextInt(3) == 0 ? 40 : 6, 2000));
    if (random.nextBoolean()) {
      s.append('.').append(digits(all, random.nextInt(3) == 0 ? 30 : 4, 1500));
    }
    if (random.nextBoolean()) {
      s.append((hex ? "pP" : "eE").charAt(random.nextInt(2)));
      s.append(random.nextBoolean() ? "" : random.nextBoolean() ? "+" : "-");
      s.append(random.nextInt(random.nextInt(4) == 0 ? 2000 : 30));
    }
    s.append(random.nextInt(8) == 0 ? " " : "");
    if (random.nextInt(10) == 0 && s.length() > 0) {
      s.setCharAt(random.nextInt(s.length()), "-+.xXeEpP nNiIfF~0".charAt(random.nextInt(18)));
    }
    return s.toString();
  }

  /** What we read in a numeral: nil, an integer behind an i, or a float as %a. */
  String read(String numeral) {
    byte[] text = numeral.replace('~', '\n').getBytes(StandardCharsets.ISO_8859_1);
    boolean number;
    if (random.nextBoolean()) {
      number = reader.read(text, 0, text.length);
    } else {
      int cut = random.nextInt(text.length + 1);
      reader.begin();
      reader.feed(text, 0, cut);
      reader.feed(text, cut, text.length - cut);
      number = reader.end();
    }
    if (!number) {
      return "nil";
    }
    if (reader.isInteger()) {
      return "i" + reader.toLong();
    }
    int end = floats.write(reader.toDouble(), 'a', 0, -1, bytes, 0);
    return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
  }
}
