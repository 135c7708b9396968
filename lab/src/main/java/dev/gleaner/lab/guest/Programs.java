package dev.gleaner.lab.guest;

import java.util.Map;

/** The guest's programs, each a function of an integer. */
final class Programs {
  /** The primes below n: tables with indexes. */
  static final String SIEVE =
      """
      function sieve 9
        table 2
        number 3 0
        number 5 1
        number 8 2
      fill:
        less 3 1 filled
        set 2 3 5
        add 3 3 5
        jump fill
      filled:
        number 7 0
        move 3 8
      next:
        less 3 1 end
        get 4 2 3
        number 6 0
        less 6 4 composite
        add 7 7 5
        add 6 3 3
      cross:
        less 6 1 composite
        number 4 0
        set 2 6 4
        add 6 6 3
        jump cross
      composite:
        add 3 3 5
        jump next
      end:
        return 7
      """;

  /** The Fibonacci numbers: calls. */
  static final String FIBONACCI =
      """
      function main 4
        closure 2 fibonacci 0
        move 3 1
        call 2 1
        return 2
      function fibonacci 7
        number 2 2
        less 1 2 large
        return 1
      large:
        move 3 0
        number 4 1
        sub 4 1 4
        call 3 1
        move 5 0
        sub 6 1 2
        call 5 1
        add 3 3 5
        return 3
      """;

  /** A counter with a method, by way of its prototype, and a closure: fields and calls. */
  static final String METHODS =
      """
      function main 10
        table 2
        closure 3 add 0
        set-field 2 add 3
        table 4
        prototype 4 2
        number 5 0
        set-field 4 sum 5
        number 6 7
        closure 3 scale 0
        move 7 6
        closure 6 scale 1
        move 3 6
        number 6 1
      next:
        less 5 1 end
        move 7 3
        move 8 5
        call 7 1
        move 9 7
        method 7 4 add
        call 7 2
        add 5 5 6
        jump next
      end:
        field 7 4 sum
        return 7
      function add 5
        field 3 1 sum
        add 3 3 2
        set-field 1 sum 3
        return 1
      function scale 4
        outer 2 0
        mul 3 1 2
        return 3
      """;

  /** Five bodies that attract each other, n steps: doubles in fields. */
  static final String BODIES =
      """
      function main 12
        table 2
        number 3 0
        number 4 5
        number 5 1
      make:
        less 3 4 made
        table 6
        number 7 1.5
        mul 8 3 7
        set-field 6 x 8
        number 7 0.25
        mul 8 3 7
        set-field 6 y 8
        mul 8 8 3
        set-field 6 z 8
        number 7 0.01
        mul 8 3 7
        set-field 6 vx 8
        number 9 0.0
        sub 8 9 8
        set-field 6 vy 8
        set-field 6 vz 9
        number 7 2.0
        add 8 3 7
        div 8 7 8
        set-field 6 mass 8
        set 2 3 6
        add 3 3 5
        jump make
      made:
        closure 6 advance 0
        number 3 0
      step:
        less 3 1 end
        move 7 6
        move 8 2
        move 9 4
        call 7 2
        add 3 3 5
        jump step
      end:
        number 3 0
        get 7 2 3
        field 8 7 x
        field 9 7 vy
        add 8 8 9
        return 8
      function advance 26
        number 3 0
        number 4 1
        number 5 0.01
      outer:
        less 3 2 move
        get 7 1 3
        add 6 3 4
      inner:
        less 6 2 next
        get 8 1 6
        field 9 7 x
        field 10 8 x
        sub 9 9 10
        field 10 7 y
        field 11 8 y
        sub 10 10 11
        field 11 7 z
        field 12 8 z
        sub 11 11 12
        mul 12 9 9
        mul 13 10 10
        add 12 12 13
        mul 13 11 11
        add 12 12 13
        sqrt 13 12
        mul 12 12 13
        div 12 5 12
        field 14 7 mass
        mul 14 14 12
        field 15 8 mass
        mul 15 15 12
        field 16 7 vx
        mul 17 9 15
        sub 16 16 17
        set-field 7 vx 16
        field 16 7 vy
        mul 17 10 15
        sub 16 16 17
        set-field 7 vy 16
        field 16 7 vz
        mul 17 11 15
        sub 16 16 17
        set-field 7 vz 16
        field 16 8 vx
        mul 17 9 14
        add 16 16 17
        set-field 8 vx 16
        field 16 8 vy
        mul 17 10 14
        add 16 16 17
        set-field 8 vy 16
        field 16 8 vz
        mul 17 11 14
        add 16 16 17
        set-field 8 vz 16
        add 6 6 4
        jump inner
      next:
        add 3 3 4
        jump outer
      move:
        number 3 0
      one:
        less 3 2 end
        get 7 1 3
        field 8 7 x
        field 9 7 vx
        mul 9 9 5
        add 8 8 9
        set-field 7 x 8
        field 8 7 y
        field 9 7 vy
        mul 9 9 5
        add 8 8 9
        set-field 7 y 8
        field 8 7 z
        field 9 7 vz
        mul 9 9 5
        add 8 8 9
        set-field 7 z 8
        add 3 3 4
        jump one
      end:
        return 1
      """;

  /** By their names. */
  static final Map<String, String> ALL =
      Map.of("sieve", SIEVE, "fibonacci", FIBONACCI, "methods", METHODS, "bodies", BODIES);

  private Programs() {}
}
