package dev.gleaner.kit.oracle;

/** An integer of the model that is the identity hash of an element, which may be gone meanwhile. */
record IdentityHash(ShadowElement of, int value) {}
