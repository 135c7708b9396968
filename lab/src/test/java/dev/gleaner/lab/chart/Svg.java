package dev.gleaner.lab.chart;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Drawings, read as XML. */
final class Svg {
  private Svg() {}

  static Element draw(Chart chart, Size size) throws Exception {
    Markup svg = new Markup().open("svg");
    chart.draw(svg, size);
    return parse(svg.close().toString());
  }

  static Element parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)))
        .getDocumentElement();
  }

  static List<Element> withClass(Element root, String name) {
    List<Element> found = new ArrayList<>();
    NodeList all = root.getElementsByTagName("*");
    for (int i = 0; i < all.getLength(); i++) {
      Element element = (Element) all.item(i);
      if (List.of(element.getAttribute("class").split(" ")).contains(name)) {
        found.add(element);
      }
    }
    return found;
  }

  static List<String> texts(Element root, String tag) {
    List<String> texts = new ArrayList<>();
    NodeList all = root.getElementsByTagName(tag);
    for (int i = 0; i < all.getLength(); i++) {
      texts.add(all.item(i).getTextContent());
    }
    return texts;
  }
}
