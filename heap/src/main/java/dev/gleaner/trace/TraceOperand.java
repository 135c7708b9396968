package dev.gleaner.trace;

import java.util.Locale;
import org.apiguardian.api.API;

/**
 * An operand of an operation.
 *
 * @param sort what it means, and so how it is encoded
 * @param text what it is, for people
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record TraceOperand(Sort sort, String text) {
  /** The letter of what is not in a trace. */
  static final char NONE = '-';

  /** What an operand means. */
  public enum Sort {
    /** A slot of the frame, whatever it holds. */
    SLOT('n'),
    /** The slot of an element. */
    ELEMENT('n'),
    /** The slot of a record, or of an object with inline slots. */
    RECORD('n'),
    /** The slot of an object. */
    OBJECT('n'),
    /** The slot of a string. */
    STRING('n'),
    /** The slot of the key of a property. */
    KEY('n'),
    /** The slot of a buffer. */
    BUFFER('n'),
    /** The slot of a dynamic buffer. */
    DYNAMIC('n'),
    /** The slot of a native element. */
    NATIVE('n'),
    /** The slot of a function. */
    FUNCTION('n'),
    /** The slot of a thread. */
    THREAD('n'),
    /** How many slots or parts something has. */
    SIZE('n'),
    /** An index in an element of two parts. */
    INDEX('n'),
    /** An index in an array part, which grows. */
    POSITION('n'),
    /** The number of a function's code. */
    CODE('n'),
    /** Flags of a collection. */
    FLAGS('n'),
    /** What an object does not keep alive of its properties. */
    WEAKNESS('n'),
    /** The number of a sort of elements. */
    SORT('n'),
    /** A number of something. */
    COUNT('n'),
    /** An integer, often negative. */
    INT('i'),
    /** The cursor of a walk. */
    CURSOR('j'),
    /** A place in a buffer. */
    PLACE('l'),
    /** A size in bytes. */
    BYTES('l'),
    /** A long. */
    LONG('l'),
    /** A tagged value that is no reference. */
    VALUE('l'),
    /** The number of a plain block, or what answers where it is. */
    BLOCK('l'),
    /** A double. */
    DOUBLE('d'),
    /** A text. */
    TEXT('t'),
    /** A list of slots. */
    SLOTS('k'),
    /** The number of a weak reference. */
    WEAK('l'),
    /** The number of a global reference. */
    GLOBAL('l'),
    /** The number of a finalizer's registration. */
    FINALIZER('l'),
    /** The number of an on-free callback. */
    CALLBACK('l'),
    /** An answer: 0 or 1. */
    FOUND('n'),
    /** An answer: the next cursor of a walk. */
    NEXT('j'),
    /** An answer: the number of what was made. */
    MADE('l'),
    /** A parameter that is not in the trace. */
    UNSEEN(NONE);

    private final char letter;

    Sort(char letter) {
      this.letter = letter;
    }

    /**
     * {@return how it is encoded, a letter as in {@link TraceOp#letters}; a hyphen if it is not}
     */
    public char letter() {
      return letter;
    }

    /** Whether a parameter of this type can have it. */
    boolean fits(Class<?> type) {
      return switch (this) {
        case UNSEEN -> true;
        case FOUND, NEXT, MADE -> false;
        case WEAK, GLOBAL, FINALIZER, CALLBACK -> isReference(type);
        case BLOCK -> type == long.class || isReference(type);
        default -> type == type(letter);
      };
    }

    private static boolean isReference(Class<?> type) {
      return !type.isPrimitive() && !type.isArray() && type != String.class;
    }

    private static Class<?> type(char letter) {
      return switch (letter) {
        case 'd' -> double.class;
        case 't' -> String.class;
        case 'k' -> int[].class;
        case 'l', 'j' -> long.class;
        default -> int.class;
      };
    }
  }

  /** Reads a sort and a text, as in {@link Traced#operands}. */
  static TraceOperand parse(String text) {
    int space = text.indexOf(' ');
    return new TraceOperand(
        Sort.valueOf(text.substring(0, space).toUpperCase(Locale.ROOT)), text.substring(space + 1));
  }
}
