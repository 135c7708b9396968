import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws memory in use over time under the three models, for docs/choosing.md:
 *
 * <pre>
 *   java --enable-native-access=ALL-UNNAMED -cp lab/target/gleaner-lab.jar docs/images/MemoryOverTime.java
 * </pre>
 *
 * <p>The program: an array of 2,000 records; each step replaces one of them by a new record, and
 * every tenth step by two that refer to each other. A sample is taken every 100 steps.
 */
final class MemoryOverTime {
  private static final int LIVE = 2_000;
  private static final int STEPS = 60_000;
  private static final int SAMPLE = 100;
  private static final int WIDTH = 860;
  private static final int HEIGHT = 300;
  private static final int LEFT = 60;
  private static final int BOTTOM = 40;
  private static final int TOP = 20;

  private record Line(String name, String colour, List<Long> bytes, long collections) {}

  public static void main(String[] args) throws IOException {
    List<Line> lines =
        List.of(
            run("refcount", "#888888", "gleaner.collector = refcount"),
            run("marksweep, MULT 1", "#d95f02", "gleaner.collector = marksweep"),
            run(
                "hybrid, MULT 1",
                "#7570b3",
                "gleaner { collector = hybrid, collectors.hybrid.voluntary.mult = 1 }"),
            run(
                "hybrid, MULT 10",
                "#1b9e77",
                "gleaner { collector = hybrid, collectors.hybrid.voluntary.mult = 10 }"));
    Files.writeString(Path.of("docs/images/memory-over-time.svg"), svg(lines));
    for (Line line : lines) {
      long most = line.bytes.stream().mapToLong(b -> b).max().orElse(0);
      System.out.printf(
          Locale.ROOT,
          "| %s | %d | %d | %d |%n",
          line.name,
          line.collections,
          most >> 10,
          line.bytes.getLast() >> 10);
    }
  }

  private static Line run(String name, String colour, String config) {
    List<Long> bytes = new ArrayList<>();
    try (Heap heap = Gleaner.factory(ConfigFactory.parseString(config)).open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newRecord(0, LIVE);
      int x = 42;
      for (int step = 0; step < STEPS; step++) {
        x = x * 69069 + 12345 & 0x7fffffff;
        t.newRecord(1, 2);
        if (step % 10 == 0) {
          t.newRecord(2, 2);
          t.store(1, 0, 2);
          t.store(2, 0, 1);
          t.setUndefined(2);
        }
        t.store(0, (x >>> 4) % LIVE, 1);
        if (step % SAMPLE == 0) {
          bytes.add(heap.statistics().usedBytes());
        }
      }
      t.leave();
      return new Line(name, colour, bytes, heap.statistics().collections());
    }
  }

  private static String svg(List<Line> lines) {
    long most = lines.stream().flatMap(l -> l.bytes.stream()).mapToLong(b -> b).max().orElse(1);
    long top = ((most >> 10) / 100 + 1) * 100;
    StringBuilder s = new StringBuilder();
    s.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT)
        .append("\" font-family=\"sans-serif\" font-size=\"12\">\n")
        .append("<title>Memory in use over time under three models</title>\n")
        .append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (int i = 0; i <= 4; i++) {
      double y = y(top * i / 4.0, top);
      s.append(
          String.format(
              Locale.ROOT,
              "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\""
                  + " text-anchor=\"end\">%d KiB</text>%n",
              LEFT,
              y,
              WIDTH - 10,
              LEFT - 4,
              y + 4,
              top * i / 4));
      s.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n",
              x(STEPS / 4.0 * i),
              HEIGHT - BOTTOM + 16,
              STEPS / 4 * i));
    }
    int at = 0;
    for (Line line : lines) {
      s.append(
          "<polyline fill=\"none\" stroke-width=\"1.2\" stroke=\"" + line.colour + "\" points=\"");
      for (int i = 0; i < line.bytes.size(); i++) {
        s.append(
            String.format(
                Locale.ROOT,
                "%.1f,%.1f ",
                x(i * (double) SAMPLE),
                y(line.bytes.get(i) / 1024.0, top)));
      }
      s.append("\"/>\n");
      int legend = LEFT + 20 + 190 * at++;
      s.append(
          String.format(
              Locale.ROOT,
              "<path d=\"M%d %dh20\" stroke=\"%s\" stroke-width=\"3\"/><text x=\"%d\""
                  + " y=\"%d\">%s</text>%n",
              legend,
              HEIGHT - 8,
              line.colour,
              legend + 26,
              HEIGHT - 4,
              line.name));
    }
    return s.append("</svg>\n").toString();
  }

  private static double x(double step) {
    return LEFT + step / STEPS * (WIDTH - LEFT - 10);
  }

  private static double y(double kib, double top) {
    return HEIGHT - BOTTOM - kib / top * (HEIGHT - BOTTOM - TOP);
  }
}
