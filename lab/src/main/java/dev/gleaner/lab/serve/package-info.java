/**
 * A workload in a loop under several collectors, and a web server that shows their meters.
 *
 * <pre>
 *   LiveCollectors -- a thread each --> CollectorLoop: workload, heap, HeapMetrics
 *        |                                   |
 *        |                                   v
 *   WebServer <-- /metrics ---- PrometheusMeterRegistry
 *             <-- /data.json -- LiveData, read from the same meters
 *             <-- / ----------- LivePage, which fetches /data.json every second
 * </pre>
 */
@NullMarked
package dev.gleaner.lab.serve;

import org.jspecify.annotations.NullMarked;
