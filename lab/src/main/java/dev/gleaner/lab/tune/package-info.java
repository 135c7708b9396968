/**
 * Finding settings by trying them.
 *
 * <pre>
 *   Tuning      the settings of one trial
 *   Trial       a tuning, and the runs under it
 *   Journal     the trials that are done, in a file, so that a sweep can go on another day
 *   TradeOff    the trials that no other one beats, and which of them to recommend
 *   TuneTable   all that as text, TuneJson as JSON
 * </pre>
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.tune;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
