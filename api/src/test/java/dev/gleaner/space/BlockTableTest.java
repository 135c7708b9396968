package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks by number, and by the pages that they span. */
class BlockTableTest {
  private static final int PAGE = PageAllocator.PAGE;
  private static final byte KIND = 5;

  private final BlockTable blocks = new BlockTable();

  @Test
  void aBlockIsFoundByEveryOffsetInIt() {
    int b = blocks.add(3, 2, 24, KIND, false);
    assertThat(blocks.at(3L * PAGE - 1)).isZero();
    assertThat(blocks.at(3L * PAGE)).isEqualTo(b);
    assertThat(blocks.at(5L * PAGE - 1)).isEqualTo(b);
    assertThat(blocks.at(5L * PAGE)).isZero();
    assertThat(blocks.start(b)).isEqualTo(3L * PAGE);
  }

  @Test
  void aLargeBlockIsFoundByItsFirstPageAlone() {
    int b = blocks.add(3, 100, 0, BlockTable.LARGE, true);
    assertThat(blocks.at(3L * PAGE)).isEqualTo(b);
    assertThat(blocks.at(4L * PAGE)).isZero();
    int behind = blocks.add(4, 1, 8, KIND, true); // whose page the removal must not touch
    blocks.remove(b);
    assertThat(blocks.at(3L * PAGE)).isZero();
    assertThat(blocks.at(4L * PAGE)).isEqualTo(behind);
  }

  @Test
  void thereIsNoBlockOutsideTheMap() {
    for (int page = 1; page < 300; page++) {
      int b = blocks.add(page, 1, 8, KIND, true);
      assertThat(blocks.at((long) page * PAGE)).isEqualTo(b);
      for (long beyond = 64; beyond <= 1024; beyond *= 2) {
        if (beyond > page) {
          assertThat(blocks.at(beyond * PAGE)).isZero();
        }
      }
    }
    assertThat(blocks.at(-8)).isZero();
    assertThat(blocks.at(Long.MAX_VALUE)).isZero();
  }

  @Test
  void numbersAreUsedAgainAndWithoutWhatTheyHad() {
    for (int i = 0; i < 1000; i++) {
      int b = blocks.add(1, 1, 16, BlockTable.RAW, true);
      assertThat(b).isEqualTo(1);
      assertThat(blocks.cursor[b] + blocks.live[b] + blocks.next[b] + blocks.previous[b]).isZero();
      assertThat(blocks.free[b]).isZero();
      assertThat(blocks.inUse[b]).containsExactly(0);
      blocks.cursor[b] = 32;
      blocks.live[b] = 1;
      blocks.free[b] = 1024;
      blocks.inUse[b][0] = 3;
      blocks.next[b] = 5;
      blocks.previous[b] = 6;
      blocks.remove(b);
      assertThat(blocks.bound()).isOne();
    }
  }

  @Test
  void theLowestNumberIsTakenFirstAndTheBoundFalls() {
    for (int i = 1; i <= 200; i++) {
      assertThat(blocks.add(i, 1, 16, KIND, true)).isEqualTo(i);
    }
    List<Integer> freed = List.of(150, 7, 199, 20);
    freed.forEach(blocks::remove);
    assertThat(blocks.bound()).isEqualTo(201);
    assertThat(blocks.add(7, 1, 16, KIND, true)).isEqualTo(7);
    blocks.remove(200);
    assertThat(blocks.bound()).isEqualTo(199);
    assertThat(blocks.add(20, 1, 16, KIND, true)).isEqualTo(20);
    assertThat(blocks.add(150, 1, 16, KIND, true)).isEqualTo(150);
    assertThat(blocks.add(199, 1, 16, KIND, true)).isEqualTo(199);
    for (int i = 199; i > 3; i--) {
      blocks.remove(i);
    }
    assertThat(blocks.bound()).isEqualTo(4);
  }

  @Test
  void aRawBlockHasABitForEachWholeCell() {
    int b = blocks.add(1, 4, 24, BlockTable.RAW, true);
    assertThat(blocks.cellSpace[b]).isEqualTo(170 * 24);
    assertThat(blocks.inUse[b]).hasSize(3);
    assertThat(blocks.inUse[blocks.add(9, 1, 16, BlockTable.RAW, true)]).hasSize(1);
    assertThat(blocks.inUse[blocks.add(5, 4, 24, KIND, true)]).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "8, 0, 1",
    "8, 1, 4",
    "8, 2, 4",
    "8, 3, 32",
    "8, 100, 32",
    "1024, 0, 1",
    "1032, 0, 2", // one cell at least
    "8192, 0, 8",
    "8192, 1, 64", // and eight in every further block
  })
  void blocksGrowWithTheirNumberAndTheirCells(int cellBytes, int count, int pages) {
    assertThat(BlockTable.pagesForBlock(cellBytes, count)).isEqualTo(pages);
  }
}
