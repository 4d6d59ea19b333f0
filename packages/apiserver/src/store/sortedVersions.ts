import type { Stored } from './store.ts';

/** Inserting moves at most so many pointers; in one long array it would move half of them all. */
const MAX_IN_PIECE = 512;

/** Versions of objects in key order, one for each key. */
export class SortedVersions {
  /** Each sorted and not empty, and all keys of one before those of the next. */
  readonly #pieces: Stored[][] = [];

  put(stored: Stored): void {
    const { length } = this.#pieces;
    if (length === 0) {
      this.#pieces.push([stored]);
      return;
    }
    const index = Math.min(this.#pieceOf(stored.key), length - 1);
    const piece = this.#pieces[index]!;
    const at = firstAtOrAfter(piece, stored.key);
    if (piece[at]?.key === stored.key) {
      piece[at] = stored;
      return;
    }
    piece.splice(at, 0, stored);
    if (piece.length > MAX_IN_PIECE) this.#pieces.splice(index + 1, 0, piece.splice(MAX_IN_PIECE / 2));
  }

  remove(key: string): void {
    const index = this.#pieceOf(key);
    const piece = this.#pieces[index];
    const at = piece ? firstAtOrAfter(piece, key) : 0;
    if (piece?.[at]?.key !== key) return;
    piece.splice(at, 1);
    if (piece.length === 0) this.#pieces.splice(index, 1);
  }

  /** Adds those with `from` ≤ key < `to` to `found`, until it has `most`. */
  collect(from: string, to: string | undefined, found: Stored[], most: number): void {
    for (let index = this.#pieceOf(from); index < this.#pieces.length; index++) {
      const piece = this.#pieces[index]!;
      const [start, end] = rangeIn(piece, from, to);
      for (let at = start; at < end; at++) {
        if (found.length >= most) return;
        found.push(piece[at]!);
      }
      if (end < piece.length) return;
    }
  }

  /** How many there are with `from` ≤ key < `to`. */
  count(from: string, to: string | undefined): number {
    let count = 0;
    for (let index = this.#pieceOf(from); index < this.#pieces.length; index++) {
      const piece = this.#pieces[index]!;
      const [start, end] = rangeIn(piece, from, to);
      count += end - start;
      if (end < piece.length) break;
    }
    return count;
  }

  /** The index of the only piece that may hold `key`: the first that does not end before it. */
  #pieceOf(key: string): number {
    return search(this.#pieces.length, (index) => this.#pieces[index]!.at(-1)!.key < key);
  }
}

function rangeIn(piece: Stored[], from: string, to: string | undefined): [start: number, end: number] {
  const start = firstAtOrAfter(piece, from);
  const reachesEnd = to === undefined || piece.at(-1)!.key < to;
  return [start, reachesEnd ? piece.length : Math.max(start, firstAtOrAfter(piece, to))];
}

const firstAtOrAfter = (piece: Stored[], key: string): number =>
  search(piece.length, (index) => piece[index]!.key < key);

/** The first index of `count` that is not `before`. */
function search(count: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
