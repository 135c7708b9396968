/**
 * Comparisons as one HTML file that opens from disk: tables, charts, settings. A class for each
 * section; {@link dev.gleaner.lab.report.HtmlReport} puts them together.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.report;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
