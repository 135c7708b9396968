/**
 * A workload in a loop under several collectors, and a web server that shows their meters.
 *
 * <pre>
 *   LiveCollectors -- a thread each --&gt; CollectorLoop: workload, heap, HeapMetrics
 *        |                                   |
 *        |                                   v
 *   WebServer &lt;-- /metrics ------- PrometheusMeterRegistry
 *             &lt;-- /data.json ----- LiveData, read from the same meters
 *             &lt;-- /history.json -- LiveHistory, a sample of LiveData every second
 *             &lt;-- / -------------- LivePage, which fetches both
 * </pre>
 *
 * <p>{@code HeapEndpoint} serves the same for the heaps of a program of one's own.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.serve;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
