package dev.gleaner.lab.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gleaner.lab.chart.Series.Point;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class PanelTest {
  private static final Series SERIES =
      new Series("a & b", new Style(0), List.of(new Point(0, 1), new Point(1, 2)));

  private static Element panel() throws Exception {
    LineChart chart = new LineChart("time", Quantity.TIME, "used", Quantity.BYTES, List.of(SERIES));
    HtmlTable data = new HtmlTable("The data").texts("who").figures("used", "MiB").texts("status");
    data.row(List.of("a & b", "1.5", "<ok>"));
    Markup html = new Markup();
    new Panel("p", "A title", "A sentence.", chart, data)
        .key(SERIES.name(), SERIES.style())
        .addTo(html);
    return Svg.parse(html.toString());
  }

  @Test
  void sizesAreDescribedEachByItself() throws Exception {
    Element panel = panel();
    List<Element> charts = Svg.withClass(panel, "chart");
    assertThat(charts).hasSize(3);
    Set<String> ids = new HashSet<>();
    for (Element chart : charts) {
      assertThat(chart.getAttribute("role")).isEqualTo("img");
      Element title = (Element) chart.getElementsByTagName("title").item(0);
      Element description = (Element) chart.getElementsByTagName("desc").item(0);
      assertThat(title.getTextContent()).isEqualTo("A title");
      assertThat(description.getTextContent()).isEqualTo("A sentence.");
      assertThat(chart.getAttribute("aria-labelledby"))
          .isEqualTo(title.getAttribute("id") + " " + description.getAttribute("id"));
      ids.add(title.getAttribute("id"));
    }
    assertThat(ids).hasSize(3);
    assertThat(Svg.texts(panel, "figcaption")).containsExactly("A sentence.");
    assertThat(Svg.texts(panel, "li")).containsExactly("a & b");
  }

  @Test
  void dataIsATableWithHeaders() throws Exception {
    Element table = (Element) panel().getElementsByTagName("table").item(0);
    assertThat(Svg.texts(table, "caption")).containsExactly("The data");
    assertThat(Svg.texts(table, "th")).containsExactly("who", "used MiB", "status", "a & b");
    assertThat(Svg.texts(table, "td")).containsExactly("1.5", "<ok>");
    for (int i = 0; i < 4; i++) {
      Element header = (Element) table.getElementsByTagName("th").item(i);
      assertThat(header.getAttribute("scope")).isEqualTo(i < 3 ? "col" : "row");
    }
    Element region = (Element) table.getParentNode();
    assertThat(region.getAttribute("role")).isEqualTo("region");
    assertThat(region.getAttribute("tabindex")).isEqualTo("0");
    assertThat(region.getAttribute("aria-label")).isEqualTo("The data");
  }

  @Test
  void aRowHasACellForEveryColumn() {
    HtmlTable table = new HtmlTable("t").texts("a").figures("b", "");
    assertThatIllegalArgumentException().isThrownBy(() -> table.row(List.of("x")));
  }
}
