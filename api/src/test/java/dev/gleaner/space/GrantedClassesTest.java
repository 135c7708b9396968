package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrantedClassesTest {

  private static List<String> all(GrantedClasses classes) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < classes.size(); i++) {
      all.add(classes.kind(i) + " " + classes.sizeClass(i));
    }
    return all;
  }

  @Test
  void eachClassIsThereOnceAndStaysWhereItIs() {
    GrantedClasses classes = new GrantedClasses();
    List<String> expected = new ArrayList<>();
    for (int turn = 0; turn < 2; turn++) {
      for (int kind = 0; kind < Layout.KINDS; kind++) {
        for (int c = 1; c < SizeClasses.COUNT; c++) {
          classes.add(kind, c);
          classes.add(0, 1);
          if (turn == 0) {
            expected.add(kind + " " + c);
          }
          assertThat(all(classes)).isEqualTo(expected);
        }
      }
    }
  }
}
