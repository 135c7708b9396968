package dev.gleaner.kit.scenario;

/** What can be stored, compared and printed; its text is that of the file. */
sealed interface Value permits Value.Plain, Value.Int, Value.Real, Value.Text, Place, Name.Weak {

  /** The slots for temporaries that getting at it may take. */
  default int temps() {
    return 1;
  }

  /** Values without a part. */
  enum Plain implements Value {
    NULL("null"),
    UNDEFINED("undefined"),
    TRUE("true"),
    FALSE("false");

    private final String text;

    Plain(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** An integer of 64 bits. */
  record Int(long value) implements Value {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** Any other number. */
  record Real(double value) implements Value {
    @Override
    public String toString() {
      return Texts.number(value);
    }
  }

  /** An interned string. */
  record Text(String text) implements Value {
    @Override
    public String toString() {
      return Texts.quoted(text);
    }
  }
}
