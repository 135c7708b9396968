/** What the command line prints: tables for people, CSV and JSON for programs. */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.lab.output;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
