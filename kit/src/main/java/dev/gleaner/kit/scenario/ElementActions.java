package dev.gleaner.kit.scenario;

import dev.gleaner.heap.Mutator;
import java.nio.charset.StandardCharsets;

/** Executes the statements that make and change elements. */
record ElementActions(
    Mutator t, Operands operands, ScenarioFinalizers finalizers, BytePattern bytes) {
  void execute(Statement.OnElements statement) {
    switch (statement) {
      case Statement.MakeRecord make -> {
        int d = operands.target(make.place());
        t.newRecord(d, make.slots());
        operands.put(make.place(), d);
      }
      case Statement.MakeObject make -> {
        int d = operands.target(make.place());
        if (make.weakness() == 0) {
          t.newObject(d);
        } else {
          t.newWeakObject(d, make.weakness());
        }
        operands.put(make.place(), d);
      }
      case Statement.SetWeakness set -> t.setWeakness(operands.slot(set.place()), set.weakness());
      case Statement.MakeString make -> {
        int d = operands.target(make.place());
        t.newString(d, make.text());
        operands.put(make.place(), d);
      }
      case Statement.MakeBytes make -> {
        int d = operands.target(make.place());
        byte[] b = make.latin1().getBytes(StandardCharsets.ISO_8859_1);
        t.newString(d, b, 0, b.length);
        operands.put(make.place(), d);
      }
      case Statement.Concat concat -> {
        int first = operands.sideBySide(concat.pieces());
        int d = operands.target(concat.place());
        t.concat(d, first, concat.pieces().size());
        operands.put(concat.place(), d);
      }
      case Statement.Substring part -> {
        int s = operands.slot(part.string());
        int d = operands.target(part.place());
        t.substring(d, s, part.from(), part.to());
        operands.put(part.place(), d);
      }
      case Statement.MakeBuffer make -> makeBuffer(make);
      case Statement.MakeThread make -> {
        int d = operands.target(make.place());
        t.newThread(d);
        operands.put(make.place(), d);
      }
      case Statement.MakeNative make -> {
        int d = operands.target(make.place());
        t.newNative(d, make.label(), finalizers.freed());
        operands.put(make.place(), d);
      }
      case Statement.MakeWeak make -> operands.makeWeak(make.weak(), make.value());
      case Statement.Set set -> set(set);
      case Statement.Add add -> add(add);
      case Statement.Delete delete -> operands.delete(delete.object(), delete.key());
      case Statement.Drop drop -> {
        for (Name name : drop.names()) {
          operands.drop(name);
          operands.release();
        }
      }
      case Statement.Length length ->
          t.setArrayLength(operands.slot(length.place()), length.length());
      case Statement.Resize resize -> t.resizeBuffer(operands.slot(resize.place()), resize.bytes());
      case Statement.Fill fill -> bytes.fill(operands.slot(fill.place()), fill.seed());
      case Statement.Hash hash ->
          t.setInt(hash.result().slot(), t.identityHash(operands.slot(hash.place())));
      case Statement.Push push -> t.push(operands.slot(push.thread()), operands.slot(push.value()));
      case Statement.Pop pop -> t.pop(operands.slot(pop.thread()), operands.temp());
      case Statement.SetFinalizer set -> finalizers.set(operands.slot(set.place()), set);
      case Statement.SetFinalizerAgain set -> finalizers.setAgain(operands.slot(set.place()));
      case Statement.ClearFinalizer clear -> {
        boolean _ = t.clearFinalizer(operands.slot(clear.place()));
      }
    }
  }

  private void makeBuffer(Statement.MakeBuffer make) {
    int d = operands.target(make.place());
    if (make.dynamic()) {
      t.newDynamicBuffer(d, make.bytes());
    } else {
      t.newBuffer(d, make.bytes());
    }
    operands.put(make.place(), d);
  }

  private void set(Statement.Set set) {
    if (set.place() instanceof Place.Local local) {
      operands.load(local.slot(), set.value());
    } else {
      operands.store(set.place(), operands.slot(set.value()));
    }
  }

  private void add(Statement.Add add) {
    int d = operands.slot(add.place());
    operands.add(d, add.summand());
    operands.put(add.place(), d);
  }
}
