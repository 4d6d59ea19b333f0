/** A revision, and when it was the newest. */
export interface RevisionMark {
  readonly atMs: number;
  readonly revision: number;
}

/** The newest revision that was superseded at least `historyMs` ago: what is older may be forgotten. Marks are in order. */
export function horizon(marks: readonly RevisionMark[], nowMs: number, historyMs: number): RevisionMark | undefined {
  return marks.findLast((mark) => mark.atMs <= nowMs - historyMs);
}
