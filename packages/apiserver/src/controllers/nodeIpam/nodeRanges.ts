import { type AddressRange, addressRange, isCidr, numberToAddress } from '../../strategies/core/addresses.ts';

/** Divides the cluster's range among Nodes. What a Node has says the Node; this remembers it. */
export class NodeRanges {
  readonly #whole: AddressRange;
  readonly #size: bigint;
  readonly #count: number;
  readonly #prefix: number;
  /** How many Nodes have each part; more than one only where somebody else gave it away. */
  readonly #users = new Map<number, number>();
  /** A part that was returned is given away again as late as possible. */
  #next = 0;

  constructor(clusterCIDR: string, prefix: number) {
    this.#whole = addressRange(clusterCIDR);
    this.#prefix = prefix;
    this.#size = 1n << BigInt((this.#whole.family === 4 ? 32 : 128) - prefix);
    this.#count = Number(this.#whole.size / this.#size);
  }

  /** A part that no Node has, which is taken from now on; undefined where there is none left. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#users.has(index)) continue;
      this.#next = (index + 1) % this.#count;
      this.#users.set(index, 1);
      const { first, family } = this.#whole;
      return `${numberToAddress(first + BigInt(index) * this.#size, family)}/${this.#prefix}`;
    }
    return undefined;
  }

  /** Somebody has the range. Ranges from elsewhere do not matter. */
  use(range: string): void {
    for (const index of this.#parts(range)) this.#users.set(index, (this.#users.get(index) ?? 0) + 1);
  }

  /** Somebody has the range no more. */
  release(range: string): void {
    for (const index of this.#parts(range)) {
      const users = (this.#users.get(index) ?? 0) - 1;
      if (users > 0) this.#users.set(index, users);
      else this.#users.delete(index);
    }
  }

  /** The parts that a range lies in, which may be of another size: the server was started otherwise before. */
  *#parts(range: string): Generator<number> {
    if (!isCidr(range)) return;
    const { family, first, size } = addressRange(range);
    const { first: start, size: whole } = this.#whole;
    if (family !== this.#whole.family || first >= start + whole || first + size <= start) return;
    const from = first <= start ? 0 : Number((first - start) / this.#size);
    const to = Math.min(this.#count - 1, Number((first + size - 1n - start) / this.#size));
    for (let index = from; index <= to; index++) yield index;
  }
}
