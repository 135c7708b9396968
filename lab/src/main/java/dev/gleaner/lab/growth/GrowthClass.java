package dev.gleaner.lab.growth;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * How fast memory grows with n, the slowest first.
 *
 * <p>Constant: from at most half of the largest n to the largest, the peak grows by less than 5 %.
 * Otherwise the curve whose shape is nearest, by least squares, of a constant plus a multiple of
 * log n, √n, n, n log n, n√n, n². What a collector keeps before it collects makes a peak uneven, so
 * neighbours are one class.
 */
public enum GrowthClass {
  /** The peak does not depend on n. */
  CONSTANT,
  /** As log n. */
  LOGARITHMIC,
  /** Faster, and not faster than n; n log n looks the same. */
  LINEAR,
  /** Faster than that. */
  MORE;

  /** Growth by less from half of n is none. */
  public static final double SAME = 0.05;

  private final String text = name().toLowerCase(Locale.ROOT);

  private record Shape(GrowthClass verdict, DoubleUnaryOperator of) {}

  private static final List<Shape> SHAPES =
      List.of(
          new Shape(LOGARITHMIC, Math::log),
          new Shape(LINEAR, Math::sqrt),
          new Shape(LINEAR, n -> n),
          new Shape(LINEAR, n -> n * Math.log(n)),
          new Shape(MORE, n -> n * Math.sqrt(n)),
          new Shape(MORE, n -> n * n));

  /**
   * Returns the class of a curve.
   *
   * @param points in the order of n, two at least
   */
  public static GrowthClass of(List<Peak> points) {
    return isConstant(points) ? CONSTANT : shape(points);
  }

  /** Returns whether the peak does not grow, which two points can tell. */
  static boolean isConstant(List<Peak> points) {
    return points.getLast().bytes() < half(points).bytes() * (1 + SAME);
  }

  /** Returns the last point of at most half of the largest n. */
  static Peak half(List<Peak> points) {
    Peak half = points.getFirst();
    for (Peak point : points) {
      if (point.n() <= points.getLast().n() / 2) {
        half = point;
      }
    }
    return half;
  }

  private static GrowthClass shape(List<Peak> points) {
    Shape nearest = SHAPES.getFirst();
    double least = Double.MAX_VALUE;
    for (Shape shape : SHAPES) {
      double error = error(points, shape.of);
      if (error < least * (1 - 1e-9)) {
        least = error;
        nearest = shape;
      }
    }
    return nearest.verdict;
  }

  /** Returns the sum of squares that a fit of a constant and a multiple of the shape leaves. */
  private static double error(List<Peak> points, DoubleUnaryOperator shape) {
    double[] x = points.stream().mapToDouble(p -> shape.applyAsDouble((double) p.n())).toArray();
    double[] y = points.stream().mapToDouble(Peak::bytes).toArray();
    double meanX = mean(x);
    double meanY = mean(y);
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (int i = 0; i < x.length; i++) {
      xx += (x[i] - meanX) * (x[i] - meanX);
      xy += (x[i] - meanX) * (y[i] - meanY);
      yy += (y[i] - meanY) * (y[i] - meanY);
    }
    return xx == 0 || xy < 0 ? yy : Math.max(0, yy - xy * xy / xx);
  }

  private static double mean(double... values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  /** {@return the word of tables and options, such as {@code linear}} */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
