package dev.gleaner.lab.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.chart.HistogramChart.Mark;
import dev.gleaner.lab.chart.HistogramChart.Strip;
import dev.gleaner.lab.chart.Series.Point;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

class ChartsTest {
  private static final double MIB = 1 << 20;
  private static final Series SAW =
      new Series(
          "a <b> & \"c\"",
          new Style(0),
          List.of(
              new Point(0, MIB), new Point(0.4, 9 * MIB), new Point(0.4, MIB), new Point(1, 0)));

  static List<Size> sizes() {
    return List.of(Size.WIDE, Size.HALF, Size.NARROW);
  }

  private static LineChart lines(Series... series) {
    return new LineChart("time", Quantity.TIME, "used", Quantity.BYTES, List.of(series));
  }

  private static ScatterChart points(boolean joined, Series... series) {
    return new ScatterChart("peak", Quantity.BYTES, "time", Quantity.TIME, List.of(series), joined);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aLineGoesThroughItsPoints(Size size) throws Exception {
    Element svg = Svg.draw(lines(SAW), size);
    Element line = Svg.withClass(svg, "line").getFirst();
    List<double[]> path = coordinates(line.getAttribute("d"));
    assertThat(path).hasSize(4);
    Plot plot =
        new Plot(
            Axis.linear("time", Quantity.TIME, 1, 4, false),
            Axis.linear("used", Quantity.BYTES, 9 * MIB, 5, true),
            size);
    assertThat(path.getFirst()[0]).isEqualTo(plot.left(), within());
    assertThat(path.get(1)[1]).isEqualTo(plot.y(9 * MIB), within());
    assertThat(path.get(2)[0]).isEqualTo(path.get(1)[0]);
    assertThat(path.get(3)[0]).isEqualTo(plot.right(), within());
    assertThat(path.get(3)[1]).isEqualTo(plot.bottom(), within());
    assertThat(Svg.texts(svg, "title")).containsExactly("a <b> & \"c\"");
    assertThat(Svg.texts(svg, "text")).contains("used, MiB", "time, s", "10");
  }

  private static org.assertj.core.data.Offset<Double> within() {
    return org.assertj.core.api.Assertions.within(0.01);
  }

  private static List<double[]> coordinates(String path) {
    Matcher numbers = Pattern.compile("[ML](-?[0-9.]+) (-?[0-9.]+)").matcher(path);
    return numbers
        .results()
        .map(r -> new double[] {Double.parseDouble(r.group(1)), Double.parseDouble(r.group(2))})
        .toList();
  }

  @Test
  void oneSampleIsAMark() throws Exception {
    Series one = new Series("a", new Style(1), List.of(new Point(0, 0)));
    assertThat(Svg.withClass(Svg.draw(lines(one), Size.WIDE), "mark")).isNotEmpty();
    Series none = new Series("a", new Style(1), List.of());
    assertThat(Svg.withClass(Svg.draw(lines(none), Size.WIDE), "mark")).isEmpty();
  }

  @Test
  void neighboursDifferInMoreThanColour() throws Exception {
    Series other = new Series("b", new Style(1), SAW.points());
    Element svg = Svg.draw(lines(SAW, other), Size.WIDE);
    List<Element> lines = Svg.withClass(svg, "line");
    assertThat(lines.get(0).getAttribute("stroke-dasharray"))
        .isNotEqualTo(lines.get(1).getAttribute("stroke-dasharray"));
    assertThat(Svg.withClass(svg, "mark").stream().map(m -> m.getAttribute("d")).distinct())
        .hasSize(2);
  }

  @Test
  void theFrontIsOfThoseThatNoOtherBeatsInBoth() {
    Point small = new Point(1, 9);
    Point fast = new Point(9, 1);
    Point between = new Point(3, 4);
    Point beaten = new Point(4, 5);
    Point asSmallButSlower = new Point(1, 10);
    Point again = new Point(3, 4, "again");
    List<Point> all = List.of(fast, beaten, again, asSmallButSlower, between, small);
    assertThat(ScatterChart.front(all)).containsExactly(small, again, fast);
    assertThat(ScatterChart.front(List.of())).isEmpty();
  }

  @Test
  void pointsAreNamedAndJoinedIfAsked() throws Exception {
    Series a =
        new Series(
            "a",
            new Style(0),
            List.of(new Point(20 * MIB, 0.5, "run 1"), new Point(30 * MIB, 0.4, "run 2")));
    Element svg = Svg.draw(points(false, a), Size.WIDE);
    assertThat(Svg.texts(svg, "title"))
        .contains("a, run 1: 20\u00a0MiB, 500\u00a0ms", "a, run 2: 30\u00a0MiB, 400\u00a0ms");
    assertThat(Svg.withClass(svg, "front")).hasSize(1);
    assertThat(Svg.withClass(svg, "line")).isEmpty();
    assertThat(Svg.withClass(Svg.draw(points(true, a), Size.NARROW), "line")).hasSize(1);
    assertThat(Svg.texts(Svg.draw(points(false), Size.WIDE), "text")).isEmpty();
  }

  @Test
  void namesOfPointsThatLieTogetherDoNot() throws Exception {
    Series a = new Series("first", new Style(0), List.of(new Point(20 * MIB, 0.5)));
    Series b = new Series("second", new Style(1), List.of(new Point(20 * MIB, 0.5)));
    Series c = new Series("third", new Style(2), List.of(new Point(20 * MIB, 0.501)));
    List<Double> heights =
        Svg.withClass(Svg.draw(points(false, a, b, c), Size.NARROW), "name").stream()
            .map(name -> Double.valueOf(name.getAttribute("y")))
            .sorted()
            .toList();
    assertThat(heights).hasSize(3);
    assertThat(heights.get(1) - heights.get(0)).isGreaterThanOrEqualTo(14);
    assertThat(heights.get(2) - heights.get(1)).isGreaterThanOrEqualTo(14);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void histogramsHaveABarForEachCount(Size size) throws Exception {
    double[] bounds = HistogramChart.bounds(0.0002, 0.03);
    assertThat(bounds).hasSize(31);
    Long[] counts = new Long[30];
    java.util.Arrays.fill(counts, 0L);
    counts[5] = 3L;
    counts[20] = 7L;
    Strip strip =
        new Strip("a", new Style(0), "10 pauses", List.of(counts), List.of(new Mark(0.002, "p50")));
    HistogramChart chart = new HistogramChart("length", bounds, List.of(strip, strip));
    Element svg = Svg.draw(chart, size.withHeight(chart.height(size)));
    assertThat(Svg.withClass(svg, "bar")).hasSize(4);
    assertThat(Svg.texts(svg, "title"))
        .contains("7 from 10\u00a0ms to 12.6\u00a0ms", "p50: 2\u00a0ms");
    assertThat(Svg.texts(svg, "text")).contains("a", "10 pauses", "1\u00a0ms", "100\u00a0ms");
  }

  @Test
  void everyBoundOfAHistogramIsADecade() {
    assertThat(HistogramChart.bounds(0.001, 0.001)).hasSize(11).startsWith(0.001);
    assertThat(HistogramChart.bounds(0, 0)).startsWith(1e-9);
  }
}
