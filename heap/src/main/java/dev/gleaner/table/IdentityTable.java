package dev.gleaner.table;

import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.util.Numbers;
import dev.gleaner.util.PlaceHash;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The identity hashes of elements that may move. Only elements whose hash was asked for are in the
 * table.
 *
 * <pre>
 *   63           25 24         1    0
 *   | place / 8    | number    | OLD |    0: none
 *
 *   closed hashing by {@link PlaceHash} of the place, linear probes, at most three quarters full
 * </pre>
 *
 * <p>A hash comes from a number that stays with its element, so it reveals no place. Elements that
 * never move need no table: their place is their identity. Only the hashes that an image gave them
 * are here. Such a hash may come from no number: then the number, of {@link #GIVEN} or more, is an
 * index of {@link #given}.
 *
 * <p>The table is on the JVM's heap, and no limit counts it: 11 to 21 bytes an element. So a
 * collection changes places without a second table. First all words are marked OLD. Then each word
 * goes to the first place of its search that is empty or OLD; an OLD word there is taken out and
 * goes next.
 */
public final class IdentityTable {
  private static final int GOLDEN = 0x9E3779B9;
  private static final int LEAST = 8;

  /** How often another hash is tried: an image may have chosen the hashes that are taken. */
  public static final int MOST_TRIES = 16;

  /** The number that a hash comes from is the product with this. */
  private static final int INVERSE = inverse();

  /** Shifts an offset, whose lower three bits are 0, to the place field of a word. */
  private static final int PLACE_SHIFT = 22;

  private static final int NUMBER_SHIFT = 1;
  private static final int NUMBER_MASK = (1 << 24) - 1;

  /** The first of the numbers that stand for hashes of an image. */
  private static final int GIVEN = 1 << 23;

  /** The largest number that a hash is made of. */
  private static final int NUMBERS = GIVEN - 1;

  private static final long PLACE_MASK = -1L << 25;
  private static final long OLD = 1;

  private final long multiplier;
  private long[] words = new long[0];
  private int size;
  private int last;

  /** The hashes of an image that come from no number. */
  private int[] given = new int[0];

  private final Numbers givenNumbers = new Numbers(0);

  /** All hashes of an image, which no other element gets; sorted when all are there. */
  private int[] taken = new int[0];

  private int takenSize;

  /**
   * Makes an empty table.
   *
   * @param multiplier odd, and not known outside
   */
  public IdentityTable(long multiplier) {
    this.multiplier = multiplier;
  }

  /** Returns the element's hash, which stays the same for the element's life. */
  public int hash(long element) {
    makeRoom();
    int i = find(words, element);
    if (words[i] == 0) {
      int tries = 0;
      do {
        last = last == NUMBERS ? 1 : last + 1;
      } while (++tries < MOST_TRIES && isTaken(last * GOLDEN));
      put(i, element, last);
    }
    return hashOf(words[i]);
  }

  private void makeRoom() {
    if (size * 4L >= words.length * 3L) {
      resize(Math.max(LEAST, words.length * 2));
    }
  }

  private void put(int i, long element, int number) {
    words[i] = element << PLACE_SHIFT | (long) number << NUMBER_SHIFT;
    size++;
  }

  /**
   * Gives an element that has no hash the one that it had in an image.
   *
   * @return false if there are too many such hashes
   */
  public boolean restore(long element, int hash) {
    if (takenSize == taken.length) {
      taken = Arrays.copyOf(taken, Math.max(LEAST, takenSize * 2));
    }
    taken[takenSize++] = hash;
    int number = hash * INVERSE;
    if (number <= 0 || number > NUMBERS) {
      if (givenNumbers.bound() == GIVEN) {
        return false;
      }
      int g = givenNumbers.take();
      if (g >= given.length) {
        given = Arrays.copyOf(given, Math.max(LEAST, g * 2));
      }
      given[g] = hash;
      number = GIVEN + g;
    } else {
      last = Math.max(last, number);
    }
    makeRoom();
    put(find(words, element), element, number);
    return true;
  }

  /** Notes that an image is read. */
  public void restored() {
    taken = Arrays.copyOf(taken, takenSize);
    Arrays.sort(taken);
  }

  /**
   * Whether an element of the image has or had a hash. Others do not get it: programs show hashes
   * to tell elements apart.
   */
  public boolean isTaken(int hash) {
    return takenSize > 0 && Arrays.binarySearch(taken, hash) >= 0;
  }

  /** Forgets an element that dies. Closes the gap, so that no search ends too early. */
  public void remove(long element) {
    if (size == 0) {
      return;
    }
    int mask = words.length - 1;
    int gap = find(words, element);
    if (words[gap] == 0) {
      return;
    }
    release(words[gap]);
    size--;
    for (int i = (gap + 1) & mask; words[i] != 0; i = (i + 1) & mask) {
      if (((i - home(words[i])) & mask) >= ((i - gap) & mask)) {
        words[gap] = words[i];
        gap = i;
      }
    }
    words[gap] = 0;
  }

  private void release(long word) {
    if (number(word) >= GIVEN) {
      givenNumbers.release(number(word) - GIVEN);
    }
  }

  /** Returns the element's hash; 0 if nobody has asked for it. */
  public int hashIfKnown(long element) {
    return size == 0 ? 0 : hashOf(words[find(words, element)]);
  }

  /** Returns the hash of a word; as the factor is odd, different numbers have different hashes. */
  private int hashOf(long word) {
    int number = number(word);
    return number < GIVEN ? number * GOLDEN : given[number - GIVEN];
  }

  private static int number(long word) {
    return (int) (word >>> NUMBER_SHIFT) & NUMBER_MASK;
  }

  private static long elementOf(long word) {
    return (word & PLACE_MASK) >>> PLACE_SHIFT;
  }

  public int size() {
    return size;
  }

  /** Calls back for each element. */
  public void forEach(OffsetVisitor visitor) {
    for (long word : words) {
      if (word != 0) {
        visitor.visit(elementOf(word));
      }
    }
  }

  /** Forgets the elements that do not stay. */
  public void sweep(LongPredicate stays) {
    change(stays, e -> e);
  }

  /** Updates the places of elements that moved. */
  public void relocate(LongUnaryOperator moved) {
    change(e -> true, moved);
  }

  private void change(LongPredicate stays, LongUnaryOperator moved) {
    if (size > 0) {
      mark(stays, moved);
      for (int i = 0; i < words.length; i++) {
        if ((words[i] & OLD) != 0) {
          long word = words[i];
          words[i] = 0;
          enter(word & ~OLD);
        }
      }
    }
    if (words.length > LEAST && size * 16L < words.length) {
      resize(Math.max(LEAST, Integer.highestOneBit(size) * 4));
    }
  }

  private void mark(LongPredicate stays, LongUnaryOperator moved) {
    for (int i = 0; i < words.length; i++) {
      long word = words[i];
      if (word != 0) {
        long element = elementOf(word);
        boolean kept = stays.test(element);
        if (!kept) {
          size--;
          release(word);
        }
        words[i] =
            kept ? moved.applyAsLong(element) << PLACE_SHIFT | (word & ~PLACE_MASK) | OLD : 0;
      }
    }
  }

  /** Enters a word, and then each word that loses its place. */
  private void enter(long word) {
    int mask = words.length - 1;
    long entering = word;
    int i = home(entering) & mask;
    while (words[i] != 0) {
      if ((words[i] & OLD) != 0) {
        long taken = words[i] & ~OLD;
        words[i] = entering;
        entering = taken;
        i = home(entering) & mask;
      } else {
        i = (i + 1) & mask;
      }
    }
    words[i] = entering;
  }

  private void resize(int capacity) {
    long[] fresh = new long[capacity];
    for (long word : words) {
      if (word != 0) {
        fresh[find(fresh, elementOf(word))] = word;
      }
    }
    words = fresh;
  }

  /** Returns the factor that undoes the multiplication with {@link #GOLDEN}, by Newton's method. */
  private static int inverse() {
    int x = GOLDEN; // right in its lowest three bits, twice as many after each step
    for (int i = 0; i < 4; i++) {
      x *= 2 - GOLDEN * x;
    }
    return x;
  }

  private int home(long word) {
    return PlaceHash.of(elementOf(word), multiplier);
  }

  private int find(long[] in, long element) {
    int mask = in.length - 1;
    int i = PlaceHash.of(element, multiplier) & mask;
    long place = element << PLACE_SHIFT;
    while (in[i] != 0 && (in[i] & PLACE_MASK) != place) {
      i = (i + 1) & mask;
    }
    return i;
  }
}
