package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each statement does. */
class StatementsTest {
  @Test
  void everyStatementAndEveryExpectationWorks() {
    List<String> printed = new ArrayList<>();
    ScenarioResult result =
        Scenarios.RUNNER
            .printingTo(printed::add)
            .run(Scenario.parse("everything.heap", Scenarios.everything()));
    assertThat(result).isEqualTo(ScenarioResult.passed("everything.heap"));
    assertThat(printed).containsExactly("hello 10 a record a dynamic buffer null 1.5");
  }

  @Test
  void placesOfAllKindsTakeAndGiveElements() {
    Scenarios.passes(
        """
        record @r 3
        record @r.0 1
        object @r.1
        set o @r.1
        record o["list"] 1
        set p o["list"]
        set p.0 @r.0
        expect o["list"] == p
        expect p.0 == @r.0
        object o.proto
        set q o.proto
        set q["inherited"] "x"
        expect o["inherited"] == "x"
        expect @r.2 == undefined
        string @r.2 "text"
        expect @r.2 == "text"
        thread @t
        buffer @r.2 10
        native o["n"] N
        expect o["n"] != null
        """);
  }

  @Test
  void anUnassignedOrDroppedNameIsUndefined() {
    Scenarios.passes(
        """
        expect @nothing == undefined
        expect ~nothing == undefined
        repeat 2 {
          expect a == undefined
          set a 1
          drop a
        }
        record @g 0
        drop @g
        expect @g == undefined
        expect alive 1
        collect
        expect alive 0
        record @g 0
        weak ~w @g
        drop ~w
        expect ~w == undefined
        """);
  }

  @Test
  void addKeepsToWholeNumbers() {
    Scenarios.passes(
        """
        set a 2147483647
        add a 1
        expect a == 2147483648
        add a -1
        expect a == 2147483647
        record @r 1
        set @r.0 5
        add @r.0 1KiB
        expect @r.0 == 1029
        expect error "not an integer" {
          add @r 1
        }
        set b 1.5
        expect error "not an integer" {
          add b 1
        }
        expect b == 1.5
        """);
  }

  @Test
  void temporariesKeepNothingAlive() {
    Scenarios.passes(
        """
        record @g 1
        record @g.0 0
        finalizer @g.0 A
        expect @g.0 != @g
        weak ~w @g.0
        print ~w @g.0
        set @g.0 null
        collect
        expect finalized A
        collect
        expect alive 1
        record x 0
        set @g.0 x
        expect error "not an object" {
          set @g["k"] @g.0
        }
        drop x
        set @g.0 null
        collect
        expect alive 1
        """);
  }

  @Test
  void readingAPropertyInternsNothing() {
    Scenarios.passes(
        """
        object o
        expect o["key"] == undefined
        delete o["key"]
        expect o["v"] == undefined
        expect no-strings "key" "v"
        expect o["key"] != "value"
        expect no-strings "value"
        record r 0
        expect error "not an object" {
          expect r["key"] == undefined
        }
        expect error "not an object" {
          delete r["key"]
        }
        set o["key"] 1
        expect strings "key"
        """);
  }

  @Test
  void framesHaveLocalsOfTheirOwn() {
    Scenarios.passes(
        """
        record a 1
        set a.0 1
        frame r {
          expect a == undefined
          record a 0
          weak ~inside a
          return 7
        }
        expect r == 7
        expect a.0 == 1
        collect
        expect cleared ~inside
        frame r {
          record x 1
          return x
        }
        expect r.0 == undefined
        collect
        expect alive 2
        """);
  }

  @Test
  void aFrameThatFailsIsLeft() {
    Scenarios.passes(
        """
        thread @t
        record keep 1
        expect error "no slot 9 in a record of 1" {
          nest 10 x {
            record down 1
            deeper
            resume @t {
              frame y {
                record z 1
                return z.9
              }
            }
            return down
          }
        }
        expect keep.0 == undefined
        resume @t {
        }
        collect
        expect alive 2
        """);
  }

  @Test
  void nestGoesDownAndUp() {
    Scenarios.passes(
        """
        set @down 0
        set @up 0
        nest 100_000 list {
          add @down 1
          record cell 2
          set cell.0 @down
          expect inner == undefined
          deeper
          add @up 1
          set cell.1 inner
          return cell
        }
        expect @down == 100_000
        expect @up == 100_000
        expect list.0 == 1
        expect alive 100_000
        set list list.1
        expect list.0 == 2
        nest 0 none {
          set @down 5
          return 5
        }
        expect none == null
        expect @down == 100_000
        nest 1 one {
          return inner
        }
        expect one == null
        """);
  }

  @Test
  void tailKeepsOnlyWhatItNames() {
    Scenarios.passes(
        """
        frame {
          record a 0
          record b 0
          record c 0
          tail a c
          expect b == undefined
          expect a != c
          collect
          expect alive 2
          tail
          collect
          expect alive 0
        }
        thread t
        resume t {
          record a 0
          tail
          expect a == undefined
        }
        """);
  }

  @Test
  void aThreadKeepsItsStack() {
    Scenarios.passes(
        """
        thread t
        set @t t
        record a 0
        weak ~a a
        push t a
        push t "x"
        drop a
        collect
        expect held ~a
        resume t {
          expect error "running" {
            push @t 1
          }
          set @inside 1
        }
        pop t
        pop t
        expect error "value stack is empty" {
          pop t
        }
        collect
        expect cleared ~a
        """);
  }

  @Test
  void finalizersRescueFailAndRunAgain() {
    Scenarios.passes(
        """
        set @count 0
        record a 0
        finalizer a A {
          add @count 1
          when closing {
            set @never 1
          }
          when not closing {
            set @saved self
            finalizer self again
          }
          throw "swallowed"
        }
        drop a
        repeat 3 {
          collect
          expect finalized A
          drop @saved
        }
        expect @count == 3
        collect
        expect finalized A
        unfinalizer @saved
        drop @saved
        collect
        expect finalized
        expect alive 0
        expect finalizer-calls == 4
        record b 2
        set b.0 b
        finalizer b B
        finalizer b C
        drop b
        close
        expect finalized C
        """);
  }

  @Test
  void aFinalizerCanHoldBlocksWithinBlocks() {
    Scenarios.passes(
        """
        record @other 0
        record a 1
        finalizer a A {
          set one 1
          set two 2
          set three 3
          set four 4
          set five 5
          set six 6
          set seven 7
          set eight 8
          frame nine {
            expect one == undefined
            finalizer @other again
            return 9
          }
          expect error "inside" {
            throw "from inside"
          }
          add one 1
          expect one == 2
          expect nine == 9
          expect eight == 8
          expect self.0 == "there"
          set self null
          set @done 1
        }
        set a.0 "there"
        drop a
        collect
        expect finalized A
        expect @done == 1
        collect
        expect finalized
        expect alive 1
        set @done 0
        expect @other != null
        drop @other
        collect
        expect finalized A
        expect @done == 0
        """);
  }

  @Test
  void nativesLogTheirLabel() {
    Scenarios.passes(
        """
        native a A
        native @b B
        drop a
        collect
        expect finalized A
        expect finalizer-calls == 1
        expect alive 1
        close
        expect finalized B!
        """);
  }

  @Test
  void closingRunsWhatIsLeft() {
    Scenarios.passes(
        """
        record @reachable 0
        finalizer @reachable R {
          when closing {
            record @made 0
            finalizer @made M
          }
          when not closing {
            throw "not reached"
          }
        }
        record lost 0
        finalizer lost L
        drop lost
        frame {
          close
          expect finalized L R! M!
          expect finalizer-calls == 3
        }
        expect alive 0
        expect used <= 0
        expect collections >= 2
        expect error "heap is closed" {
          record a 1
        }
        expect error "heap is closed" {
          frame {
          }
        }
        expect error "heap is closed" {
          expect intact
        }
        """);
  }

  @Test
  void allocationsFailAsOften() {
    Scenarios.passes(
        """
        fail-allocations after 1 for 2 {
          raw-alloc a 100
          expect a != null
          raw-alloc b 100
          expect b == null
          fail-allocations after 0 {
            raw-alloc c 100
            expect c == null
            raw-alloc c 100
            expect c == null
          }
          raw-alloc c 100
          expect c == null
          raw-alloc d 100
          expect d != null
        }
        fail-allocations after 0 {
          expect out-of-memory {
            object o
          }
          alloc e 100
          expect e == null
        }
        object o
        raw-free a
        free d
        mark used
        alloc a 1KiB
        expect used >= mark + 1000
        set other a
        realloc a 2KiB
        fail-allocations after 0 {
          set other a
          realloc a 9KiB
          expect a == null
        }
        realloc other 0
        expect other == null
        free other
        expect error "not a block" {
          free o
        }
        expect used <= mark
        """);
  }

  @Test
  void flagsHoldInTheirBlockOnly() {
    Scenarios.passes(
        """
        record @x 0
        record a 0
        finalizer a A
        drop a
        expect error "no slot 1" {
          base-flags no-finalizers {
            collect
            expect finalized
            set b @x.1
          }
        }
        collect no-finalizers emergency
        expect finalized
        expect emergencies == 1
        collect
        expect finalized A
        expect collections == 3
        """);
  }

  @Test
  void theHeapsOwnThreadsAreNotCounted() {
    Scenarios.passes("expect alive 0\nexpect collections == 0\nexpect emergencies == 0");
    Scenarios.passes(
        """
        expect alive 0
        thread t
        expect alive 1
        finalizer t T
        expect alive 1
        expect collections == 0
        drop t
        collect
        expect finalized T
        collect
        expect alive 0
        """);
    Scenarios.passes(
        """
        config { finalizers = off }
        record a 0
        finalizer a A
        drop a
        collect
        expect finalized
        close
        expect finalized
        """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set a.2 1 | 'expected no error, found no slot 2 in a record of 1'",
        "set b.0 1 | 'expected no error, found not an element: null'",
        "set a[\"k\"] 1 | 'expected no error, found not an object: a record'",
        "fill a 1 | 'expected no error, found not a buffer: a record'",
        "resize c 1 | 'expected no error, found fixed buffer'",
        "pop a | 'expected no error, found not a thread: a record'",
        "weak ~w b | 'expected no error, found not an element: null'",
        "finalizer b A | 'expected no error, found not an element: no finalizer on null'",
        "finalizer s A | 'expected no error, found no finalizer on a string'",
        "hash h b | 'expected no error, found not an element: null'",
        "expect cleared ~w | 'expected no error, found no weak reference ~w'",
        "expect used <= mark | 'expected no error, found no mark: ''mark used'' comes first'",
      })
  void anErrorNobodyExpectedFailsTheScenario(String statement, String message) {
    Scenarios.fails("record a 1\nset b null\nbuffer c 1\nstring s \"x\"\n" + statement, 5, message);
  }

  @Test
  void theLineOfAnErrorIsTheInnermost() {
    String text =
        """
        record @a 0
        finalizer @a A {
          set b self.7
        }
        drop @a
        collect
        frame {
          repeat 2 {
            # here
            set x @a.1
          }
        }
        """;
    Scenarios.fails(text, 10, "expected no error, found not an element: undefined");
    Scenarios.fails(
        "frame r {\n  record a 0\n  return a.1\n}",
        3,
        "expected no error, found no slot 1 in a record of 0");
  }

  @Test
  void stepNeedsAnIncrementalCollector() {
    Scenarios.passes("record a 1\ndrop a\nstep 1000000\nexpect collections == 1\nexpect alive 0");
  }
}
