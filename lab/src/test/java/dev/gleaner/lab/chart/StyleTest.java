package dev.gleaner.lab.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The colours of the style sheet, as eyes of several kinds see them. */
class StyleTest {
  /** As without red and without green sensitivity (Viénot, Brettel, Mollon 1999), linear RGB. */
  private static final double[][][] EYES = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
    {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}
  };

  @Test
  void aCollectorLooksTheSameWhateverStandsBesideIt() {
    List<Style> all =
        Style.of(List.of("framestack", "hybrid", "mine", "semispace", "jvm", "jvm 9m"));
    List<Style> some = Style.of(List.of("semispace", "other"));
    assertThat(some.getFirst()).isEqualTo(all.get(3));
    assertThat(all).doesNotHaveDuplicates().element(2).isEqualTo(some.get(1));
  }

  private static List<double[]> colours(boolean dark, String name) {
    String css = Panel.css();
    int split = css.indexOf("@media (prefers-color-scheme: dark)");
    String part = dark ? css.substring(split) : css.substring(0, split);
    Matcher matcher = Pattern.compile("--" + name + "(?:-\\d)?: #(\\p{XDigit}{6});").matcher(part);
    List<double[]> colours = new ArrayList<>();
    while (matcher.find()) {
      int rgb = Integer.parseInt(matcher.group(1), 16);
      colours.add(new double[] {linear(rgb >> 16), linear(rgb >> 8 & 255), linear(rgb & 255)});
    }
    return colours;
  }

  private static double linear(int channel) {
    double c = (channel & 255) / 255.0;
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  }

  private static double luminance(double[] c) {
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  }

  private static double contrast(double[] a, double[] b) {
    double light = Math.max(luminance(a), luminance(b));
    double dark = Math.min(luminance(a), luminance(b));
    return (light + 0.05) / (dark + 0.05);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everythingStandsOutFromThePaper(boolean dark) {
    double[] paper = colours(dark, "paper").getFirst();
    assertThat(colours(dark, "series")).hasSize(Style.COLOURS);
    for (double[] colour : colours(dark, "series")) {
      assertThat(contrast(colour, paper)).isGreaterThan(3.5);
    }
    assertThat(contrast(colours(dark, "ink").getFirst(), paper)).isGreaterThan(7);
    assertThat(contrast(colours(dark, "faint").getFirst(), paper)).isGreaterThan(4.5);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFirstSixDifferForEveryEye(boolean dark) {
    List<double[]> colours = colours(dark, "series").subList(0, 6);
    for (double[][] eye : EYES) {
      for (int i = 0; i < colours.size(); i++) {
        for (int j = 0; j < i; j++) {
          double difference = difference(seen(eye, colours.get(i)), seen(eye, colours.get(j)));
          assertThat(difference).as("series %d and %d, dark %s", j, i, dark).isGreaterThan(15);
        }
      }
    }
  }

  private static double[] seen(double[][] eye, double[] c) {
    double[] seen = new double[3];
    for (int i = 0; i < 3; i++) {
      seen[i] = Math.clamp(eye[i][0] * c[0] + eye[i][1] * c[1] + eye[i][2] * c[2], 0, 1);
    }
    return seen;
  }

  /** CIE 1976. */
  private static double difference(double[] a, double[] b) {
    double[] x = lab(a);
    double[] y = lab(b);
    return Math.sqrt(
        Math.pow(x[0] - y[0], 2) + Math.pow(x[1] - y[1], 2) + Math.pow(x[2] - y[2], 2));
  }

  private static double[] lab(double[] c) {
    double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
    double y = f(luminance(c));
    double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
    return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
  }

  private static double f(double t) {
    return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16.0 / 116;
  }

  @Test
  void dozensOfSeriesAreDrawnDifferently() {
    Set<String> looks = new HashSet<>();
    for (int i = 0; i < 72; i++) {
      Style style = new Style(i);
      Markup mark = new Markup();
      style.mark(mark, 0, 0);
      looks.add(style.colourClass() + style.dashes() + mark);
    }
    assertThat(looks).hasSize(72);
  }
}
