/** A webhook could not be asked, or its answer is of no use. Its failurePolicy says what follows from that. */
export class CallingError extends Error {}
