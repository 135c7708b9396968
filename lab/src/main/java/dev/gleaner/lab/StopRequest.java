package dev.gleaner.lab;

import java.util.concurrent.CountDownLatch;

/**
 * Lets a command that runs until it is told to stop end in good order, with status 0, on SIGINT and
 * SIGTERM.
 *
 * <pre>
 *   signal -> JVM's shutdown -> hook: tell -------------> wait ---> halt(0)
 *                                       |                     ^
 *   command:  await .............. returns, cleans up, succeeded, close
 * </pre>
 *
 * A JVM that a signal ends has the status 128 + signal unless a hook halts it.
 */
final class StopRequest implements AutoCloseable {
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile int status = ExitStatus.FAILED;
  private final Thread hook = new Thread(this::stop, "stop");

  StopRequest() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void stop() {
    told.countDown();
    try {
      done.await();
      Runtime.getRuntime().halt(status);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the request; interrupting this thread is one, too. */
  void await() {
    try {
      told.await();
    } catch (InterruptedException e) {
      // told by other means
    }
  }

  /** Returns whether it came, without waiting. */
  boolean isTold() {
    return told.getCount() == 0;
  }

  /** Says that all is cleaned up. */
  void succeeded() {
    status = 0;
  }

  /** Lets this JVM end, or go on if nobody has asked it to end. */
  @Override
  public void close() {
    if (told.getCount() > 0) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the signal came just now
      }
    }
    done.countDown();
  }
}
