package dev.gleaner.it.planted;

import java.util.ArrayList;
import java.util.List;

/** The bugs of what finalizers, on-free callbacks and listeners may cause. */
@SuppressWarnings("StringConcatToTextBlock") // what is replaced and by what stand alike
final class FinalizerBugs {
  private static final String API = "api/src/main/java/dev/gleaner/";

  private final List<PlantedBug> bugs = new ArrayList<>();

  private FinalizerBugs() {}

  static List<PlantedBug> all() {
    FinalizerBugs list = new FinalizerBugs();
    list.order();
    list.operations();
    list.bounds();
    list.postponing();
    list.throwing();
    return list.bugs;
  }

  private void in(
      String collector, String part, String name, String text, String original, String planted) {
    bugs.add(new PlantedBug(name, text, collector, API + part + ".java", original, planted));
  }

  private void order() {
    in(
        "marksweep",
        "mark/DuktapeFinalizers",
        "reverse-order-forgotten",
        "a collection finds what is due in the order of registration only",
        "      int entry = reverse ? bound - 1 - i : i;\n",
        "      int entry = i;\n");
    in(
        "refcount",
        "heap/FinalizerRunner",
        "closing-not-in-reverse",
        "finalizers that are left at the end run in the order of registration only",
        "context.settings().finalizersInReverse()\n            &&",
        "false\n            &&");
  }

  private void operations() {
    String part = "heap/FinalizerRunner";
    in(
        "refcount",
        part,
        "called-in-a-circle",
        "a finalizer whose element was rescued is called again in the same operation",
        "      table.setOperation(entry, operation);\n",
        "");
    in(
        "marksweep",
        part,
        "made-and-called",
        "a finalizer that another one has set is called in the same operation",
        "    return depth > 0 ? operation : 0;\n",
        "    return 0;\n");
    in(
        "hybrid",
        part,
        "operations-run-together",
        "an operation that follows another one is taken for the same",
        "      heap.mutator().announceNext();\n",
        "");
    in(
        "refcount",
        "table/NativeTable",
        "natives-in-a-circle",
        "the callback of a native that a callback has made is called in the same operation",
        "    while (f != null && f.operation == operation) {\n",
        "    while (f != null && f.operation < 0) {\n");
  }

  private void bounds() {
    String part = "heap/FinalizerRunner";
    in(
        "semispace",
        part,
        "a-pass-for-each",
        "each request of a finalizer that is refused has collections of its own",
        "    return depth == 0 || retries > 0;\n",
        "    return true;\n");
    in(
        "framestack",
        part,
        "ten-for-ever",
        "what finalizers allocate has ten collections, however much these free",
        "    if (bytes >= context.budget().max() >> 3) {\n",
        "    if (bytes < 0) {\n");
    in(
        "marksweep",
        part,
        "bound-for-ever",
        "what finalizers have used up is missing in the next operation",
        "    heap.mutator().admit();\n    retries = Driver.RETRIES;\n",
        "    heap.mutator().admit();\n");
  }

  private void postponing() {
    in(
        "hybrid",
        "heap/FinalizerRunner",
        "postponed-for-ever",
        "a finalizer that waits for the next operation is never called",
        "    table.resumePostponed();\n",
        "");
    in(
        "refcount",
        "heap/FinalizerRunner",
        "callbacks-postponed-for-ever",
        "an on-free callback that waits for the next operation is never called",
        "    natives.resumePostponed();\n",
        "");
    in(
        "marksweep",
        "table/FinalizerTable",
        "postponed-are-no-roots",
        "an element whose finalizer waits for the next operation is no root",
        "    return postponedCount + queueTail - queueHead;\n",
        "    return queueTail - queueHead;\n");
    in(
        "semispace",
        "table/FinalizerTable",
        "postponed-not-told",
        "the list of what waits for the next operation keeps the old places",
        "      postponed[i] = moved.applyAsLong(postponed[i]);\n",
        "");
  }

  private void throwing() {
    in(
        "marksweep",
        "heap/HeapLog",
        "listener-loses-finalizers",
        "what a listener throws goes to the program, and the finalizers wait",
        "      } catch (Throwable e) { // a checked one can be thrown, too\n",
        "      } catch (IllegalArgumentException e) {\n");
    in(
        "semispace",
        "heap/HeapLog",
        "listener-ends-closing",
        "what a listener throws when the heap closes goes to the program",
        "    tell(l -> l.heapClosed(heap));\n",
        "    Arrays.asList(listeners).forEach(l -> l.heapClosed(heap));\n");
    in(
        "framestack",
        "heap/FinalizerRunner",
        "error-loses-finalizers",
        "an error that a finalizer throws goes to the program",
        "      finalizer.run(t, isClosing);\n    } catch (Throwable e) {",
        "      finalizer.run(t, isClosing);\n    } catch (RuntimeException e) {");
    in(
        "refcount",
        "heap/FinalizerRunner",
        "callback-loses-callbacks",
        "an error that an on-free callback throws goes to the program",
        "          ((FreeCallback) f.callback()).freed(f.value(), closing);\n"
            + "        } catch (Throwable e) {",
        "          ((FreeCallback) f.callback()).freed(f.value(), closing);\n"
            + "        } catch (RuntimeException e) {");
  }
}
