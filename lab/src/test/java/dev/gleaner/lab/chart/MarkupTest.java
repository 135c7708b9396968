package dev.gleaner.lab.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class MarkupTest {
  @Test
  void everythingIsEscaped() {
    Markup html = new Markup();
    html.open("p", "title", "\"a\" < 'b' & c").text("<script>&amp;\u0000\u001b</script>").close();
    assertThat(html.toString())
        .isEqualTo(
            "<p title=\"&quot;a&quot; &lt; &#39;b&#39; &amp; c\">"
                + "&lt;script&gt;&amp;amp;\ufffd\ufffd&lt;/script&gt;</p>");
  }

  @Test
  void elementsAreClosedInTheirOrder() {
    Markup html = new Markup().open("ul").open("li").text("a").close().close();
    assertThat(html.toString()).isEqualTo("<ul><li>a</li></ul>");
    assertThatIllegalStateException()
        .isThrownBy(() -> new Markup().open("p").toString())
        .withMessageContaining("p");
  }

  @Test
  void coordinatesHaveTwoDecimalsAtMost() {
    assertThat(Markup.number(1)).isEqualTo("1");
    assertThat(Markup.number(-0.001)).isEqualTo("0");
    assertThat(Markup.number(12.345)).isEqualTo("12.35");
    assertThat(Markup.number(0.5)).isEqualTo("0.5");
    assertThat(new Markup().empty("g", "x", 1.0 / 3).toString()).isEqualTo("<g x=\"0.33\"/>");
  }
}
