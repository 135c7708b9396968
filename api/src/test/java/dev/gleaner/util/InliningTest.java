package dev.gleaner.util;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.junit.jupiter.api.Test;

final class InliningTest {
  private static final MethodHandle HALF =
      Inlining.handle(
          MethodHandles.lookup(),
          InliningTest.class,
          "half",
          int.class,
          int.class,
          Throwable.class);

  private int calls;

  int half(int n, Throwable other) throws Throwable {
    calls++;
    if (n % 2 != 0) {
      throw other;
    }
    return n / 2;
  }

  private int late(int n, Throwable other) {
    MethodHandle late = HALF;
    while (true) {
      try {
        return (int) late.invokeExact(this, n, other);
      } catch (Throwable e) {
        late = Inlining.thrown(e);
      }
    }
  }

  @Test
  void aLateCallIsMadeOnce() {
    int sum = 0;
    for (int i = 0; i < 20_000; i++) { // long enough to be compiled
      sum += late(2, new IOException());
    }
    assertEquals(20_000, sum);
    assertEquals(20_000, calls);
  }

  @Test
  void whatALateCallThrowsComesOutAsItIs() {
    for (Throwable e :
        new Throwable[] {
          new IOException("checked"), new IllegalStateException(), new StackOverflowError()
        }) {
      calls = 0;
      assertSame(e, assertThrows(e.getClass(), () -> late(1, e)));
      assertSame(e, assertThrows(e.getClass(), () -> Inlining.rethrown(e)));
      assertEquals(1, calls);
    }
  }

  @Test
  void aMethodThatIsNotThereIsNamed() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Inlining.handle(MethodHandles.lookup(), Runnable.class, "walk", void.class));
    assertEquals("java.lang.Runnable.walk", e.getMessage());
  }
}
