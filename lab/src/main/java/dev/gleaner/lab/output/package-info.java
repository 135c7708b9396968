/** What the command line prints: tables for people, CSV and JSON for programs. */
@NullMarked
package dev.gleaner.lab.output;

import org.jspecify.annotations.NullMarked;
