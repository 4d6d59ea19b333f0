import { ipv4Range, isIpv4Cidr, numberToIpv4, overlap } from '../../strategies/core/addresses.ts';

/** Divides the cluster's range among Nodes. What a Node has says the Node; this remembers it. */
export class NodeRanges {
  readonly #first: number;
  readonly #size: number;
  readonly #count: number;
  readonly #prefix: number;
  /** How many Nodes have each part; more than one only where somebody else gave it away. */
  readonly #users = new Map<number, number>();
  /** A part that was returned is given away again as late as possible. */
  #next = 0;

  constructor(clusterCIDR: string, prefix: number) {
    const { first, size } = ipv4Range(clusterCIDR);
    this.#first = first;
    this.#prefix = prefix;
    this.#size = 2 ** (32 - prefix);
    this.#count = size / this.#size;
  }

  /** A part that no Node has, which is taken from now on; undefined where there is none left. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#users.has(index)) continue;
      this.#next = (index + 1) % this.#count;
      this.#users.set(index, 1);
      return `${numberToIpv4(this.#first + index * this.#size)}/${this.#prefix}`;
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
    if (!isIpv4Cidr(range)) return;
    const { first, size } = ipv4Range(range);
    if (!overlap({ first, size }, { first: this.#first, size: this.#size * this.#count })) return;
    const from = Math.max(0, Math.floor((first - this.#first) / this.#size));
    const to = Math.min(this.#count - 1, Math.floor((first + size - 1 - this.#first) / this.#size));
    for (let index = from; index <= to; index++) yield index;
  }
}
