package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lab.chart.Panel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The live page has the colours of the report, in the same order. */
class PaletteTest {
  private static final Pattern OF_REPORT = Pattern.compile("--series-\\d: (#[0-9a-f]{6});");
  private static final Pattern OF_PAGE =
      Pattern.compile("\\.s\\d \\{ stroke: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)");

  @Test
  void theLivePageHasTheColoursOfTheReport() {
    List<String> report =
        OF_REPORT.matcher(Panel.css()).results().map(match -> match.group(1)).toList();
    List<MatchResult> page =
        OF_PAGE.matcher(Panel.resource(LivePage.class, "live.html")).results().toList();
    List<String> found = new ArrayList<>(page.stream().map(match -> match.group(1)).toList());
    page.forEach(match -> found.add(match.group(2)));
    assertThat(found).hasSize(16).isEqualTo(report);
  }
}
