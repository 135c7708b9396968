/**
 * Charts as inline SVG: lines over time, points with the front of the best, histograms. Nothing but
 * markup and one style sheet, {@link dev.gleaner.lab.chart.Panel#css}; no script.
 *
 * <p>Series differ in dashes and in the shape of their marks as well as in colour. A chart is drawn
 * in three {@link dev.gleaner.lab.chart.Size sizes}, and the style sheet shows the one that fits,
 * so that its text is of the same size on a phone. Every {@link dev.gleaner.lab.chart.Panel} has a
 * sentence that says what is to be seen, and a table of what was drawn.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.chart;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
