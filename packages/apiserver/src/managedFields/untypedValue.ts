/** A value that does not fit its schema, so that nobody can own parts of it. */
export class UntypedValue extends Error {}
