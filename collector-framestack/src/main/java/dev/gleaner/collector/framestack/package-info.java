/** Frames: elements that go with the frame that made them (fble's diary, "Stack Allocate"). */
@NullMarked
package dev.gleaner.collector.framestack;

import org.jspecify.annotations.NullMarked;
