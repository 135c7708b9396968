/** Frames: elements that go with the frame that made them (fble's diary, "Stack Allocate"). */
@API(status = API.Status.INTERNAL)
@NullMarked
package dev.gleaner.collector.framestack;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
