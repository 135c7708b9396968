package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which cell a request gets. */
@Tag("D1")
class SizeClassesTest {

  @Test
  void everyRequestGetsTheSmallestCellThatHoldsIt() {
    for (int words = 1; words <= SizeClasses.LARGEST_WORDS; words++) {
      int c = SizeClasses.of(words);
      assertThat(SizeClasses.words(c)).as("%s words", words).isGreaterThanOrEqualTo(words);
      if (c > 1) {
        assertThat(SizeClasses.words(c - 1)).as("%s words", words).isLessThan(words);
      }
    }
  }

  @Test
  void smallRequestsAreNotRoundedAndOthersByAnEighthAtMost() {
    for (int words = 1; words <= SizeClasses.LARGEST_WORDS; words++) {
      int cell = SizeClasses.words(SizeClasses.of(words));
      if (words <= SizeClasses.EXACT) {
        assertThat(cell).isEqualTo(words);
      } else {
        assertThat((cell - words) * 8).as("%s words in %s", words, cell).isLessThan(words);
      }
    }
  }

  @Test
  void classesAreNumberedWithoutGaps() {
    assertThat(SizeClasses.of(1)).isEqualTo(1);
    assertThat(SizeClasses.of(SizeClasses.LARGEST_WORDS)).isEqualTo(SizeClasses.COUNT - 1);
    for (int c = 1; c < SizeClasses.COUNT; c++) {
      assertThat(SizeClasses.of(SizeClasses.words(c))).isEqualTo(c);
    }
  }

  @Test
  void theTableOfItsComment() {
    assertThat(SizeClasses.of(33)).isEqualTo(33);
    assertThat(SizeClasses.words(33)).isEqualTo(36);
    assertThat(SizeClasses.words(40)).isEqualTo(64);
    assertThat(SizeClasses.words(65)).isEqualTo(576);
    assertThat(SizeClasses.words(66)).isEqualTo(640);
    assertThat(SizeClasses.words(72)).isEqualTo(1024);
  }
}
