/**
 * A workload in a loop under several collectors, and a web server that shows their meters.
 *
 * <pre>
 *   LiveCollectors -- a thread each --&gt; CollectorLoop: workload, heap, HeapMetrics
 *        |                                   |
 *        |                                   v
 *   WebServer &lt;-- /metrics ---- PrometheusMeterRegistry
 *             &lt;-- /data.json -- LiveData, read from the same meters
 *             &lt;-- / ----------- LivePage, which fetches /data.json every second
 * </pre>
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.serve;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
