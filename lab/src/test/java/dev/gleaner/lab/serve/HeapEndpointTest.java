package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** A program that serves the figures of its own heaps. */
final class HeapEndpointTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final HttpClient client = HttpClient.newHttpClient();

  private static HeapFactory factory(String collector) {
    return Gleaner.factory(
        ConfigFactory.parseString("gleaner { collector = " + collector + ", memory.max = 1MiB }"));
  }

  private String get(HeapEndpoint endpoint, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  @Test
  void showsTheHeapsOfAProgramARowEachFactory() throws Exception {
    try (HeapEndpoint endpoint = HeapEndpoint.start(ANY)) {
      HeapFactory scripts = endpoint.watch("scripts", factory("marksweep"));
      HeapFactory rules = endpoint.watch("rules", factory("refcount"));
      try (Heap a = scripts.open();
          Heap b = scripts.open();
          Heap c = rules.open()) {
        a.collect();
        b.collect();
        c.collect();
        JsonNode data = new ObjectMapper().readTree(get(endpoint, "/data.json"));
        assertThat(data.at("/collectors").findValuesAsText("collector"))
            .containsExactly("scripts", "rules");
        assertThat(data.at("/collectors/0/heaps").doubleValue()).isEqualTo(2);
        assertThat(data.at("/collectors/0/max_bytes").doubleValue()).isEqualTo(2 << 20);
        assertThat(data.at("/collectors/1/collections").doubleValue()).isEqualTo(1);
        assertThat(data.at("/collectors/1/runs_done").isNull()).isTrue();
        assertThat(get(endpoint, "/metrics"))
            .contains("gleaner_heaps{collector=\"marksweep\",factory=\"scripts\"} 2.0")
            .contains("gleaner_gc_pause_seconds_bucket{action=\"full\"");
        assertThat(get(endpoint, "/")).contains("<legend>Factories</legend>").doesNotContain("@");
      }
      assertThatThrownBy(() -> endpoint.watch("rules", factory("hybrid")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void itsHistoryBeginsAtTheStart() throws Exception {
    try (HeapEndpoint endpoint = HeapEndpoint.start(ANY)) {
      HeapFactory scripts = endpoint.watch("scripts", factory("marksweep"));
      try (Heap heap = scripts.open()) {
        heap.mutator().enter(1);
        heap.mutator().newBuffer(0, 1 << 17);
        JsonNode history;
        do {
          Thread.sleep(10);
          history = new ObjectMapper().readTree(get(endpoint, "/history.json"));
        } while (history.at("/samples").size() < 2);
        assertThat(history.at("/figures/0").textValue()).isEqualTo("used_bytes");
        int last = history.at("/samples").size() - 1;
        JsonNode sample = history.at("/samples").get(last);
        assertThat(sample.get(0).doubleValue()).isPositive();
        assertThat(sample.get(1).get(0).get(0).doubleValue()).isGreaterThan(1 << 17);
      }
    }
  }
}
