import { qcow2Header } from './qcow2Header.ts';

/** A part of an image, and where it is to be written. */
export interface Piece {
  /** The disk itself, or what is kept of the image. */
  readonly to: 'disk' | 'image';
  readonly bytes: Buffer;
  readonly position: number;
}

const ENTRY_BYTES = 8;
const CLUSTER_BITS = [16, 17, 18, 19, 20, 21];
/** Of the table of tables. */
const MAX_L1_BYTES = 1 << 19;
const MAX_CLUSTERS = 2 ** 32 - 2;

/** Of an entry: where it points to, that nothing else points there, that it reads as zeros whatever is there. */
const OFFSET = 0x00ff_ffff_ffff_fe00n;
const COPIED = 1n << 63n;
const ZERO = 1n;

/** What is plain of how an image begins. */
interface Layout {
  readonly version: number;
  readonly virtualBytes: number;
  readonly clusterBytes: number;
  readonly l1At: number;
  readonly l1Bytes: number;
}

/** A table that is to come; which part of the disk it is of, or undefined where it is of tables. */
interface Table {
  readonly at: number;
  readonly lengthBytes: number;
  readonly index: number | undefined;
}

/**
 * Tells of each part of a qcow2 image, while it comes in from its beginning to its end, where on the disk it belongs.
 * That can be known where tables stand before what they tell of, as they do in images that were written in order. What
 * is not known to be data of the disk is to be kept as the image. Nothing in it is trusted: tables that say anything
 * but the plainest end the attempt, and then the whole image can be had back, for those who read every kind.
 */
export class Qcow2Map {
  readonly #layout: Layout;
  readonly #mostClusters: number;
  readonly #awaited = new Map<number, Table>();
  #coming: { readonly table: Table; readonly bytes: Buffer } | undefined;
  /** Which cluster of the disk a cluster of the image is, counted from one; by its number in the image. */
  #places = new Uint32Array(1024);
  #lastPlaced = -1;
  #isPlain: boolean;
  #length = 0;

  private constructor(layout: Layout, limitBytes: number) {
    this.#layout = layout;
    this.#mostClusters = Math.ceil(limitBytes / layout.clusterBytes);
    this.#isPlain = this.#await({ at: layout.l1At, lengthBytes: layout.l1Bytes, index: undefined });
  }

  /** Undefined: the first bytes show that the image is not of the plain kind. It has `limitBytes` at most. */
  static of(head: Buffer, limitBytes: number): Qcow2Map | undefined {
    const layout = layoutOf(head);
    return layout && new Qcow2Map(layout, limitBytes);
  }

  get virtualBytes(): number {
    return this.#layout.virtualBytes;
  }

  /** How much of the image has come in. */
  get length(): number {
    return this.#length;
  }

  /** Whether the disk has everything, now that all of the image has come in. */
  get isComplete(): boolean {
    const isWhole = this.#awaited.size === 0 && !this.#coming;
    return this.#isPlain && isWhole && this.#lastPlaced * this.#layout.clusterBytes < this.#length;
  }

  /** Takes the next bytes of the image. */
  take(bytes: Buffer): Piece[] {
    const { clusterBytes } = this.#layout;
    const pieces: { to: Piece['to']; from: number; end: number; position: number }[] = [];
    for (let from = 0; from < bytes.length; ) {
      const offset = this.#length % clusterBytes;
      const end = Math.min(bytes.length, from + clusterBytes - offset);
      const place = this.#places[(this.#length - offset) / clusterBytes] ?? 0;
      const to = place > 0 ? 'disk' : 'image';
      const position = place > 0 ? (place - 1) * clusterBytes + offset : this.#length;
      const last = pieces.at(-1);
      if (last?.to === to && last.position + (from - last.from) === position) last.end = end;
      else pieces.push({ to, from, end, position });
      this.#length += end - from;
      this.#read(bytes.subarray(from, end));
      from = end;
    }
    return pieces.map(({ to, from, end, position }) => ({ to, position, bytes: bytes.subarray(from, end) }));
  }

  /** What went to the disk: where it is there, and where it was in the image. */
  *placed(): Generator<{ readonly disk: number; readonly image: number; readonly length: number }> {
    const { clusterBytes } = this.#layout;
    for (const [cluster, place] of this.#places.entries()) {
      const image = cluster * clusterBytes;
      if (image >= this.#length) return;
      const length = Math.min(clusterBytes, this.#length - image);
      if (place > 0) yield { disk: (place - 1) * clusterBytes, image, length };
    }
  }

  /** Collects tables out of what has just come, which is of one cluster; tables begin where clusters do. */
  #read(part: Buffer): void {
    const position = this.#length - part.length;
    const table = this.#awaited.get(position);
    if (table) {
      this.#awaited.delete(position);
      this.#coming = { table, bytes: Buffer.alloc(table.lengthBytes) };
    }
    if (!this.#coming) return;
    const { at, lengthBytes, index } = this.#coming.table;
    const { bytes } = this.#coming;
    part.copy(bytes, position - at);
    if (this.#length < at + lengthBytes) return;
    this.#coming = undefined;
    const isPlain = index === undefined ? this.#readTables(bytes) : this.#readClusters(bytes, index);
    if (!isPlain) this.#giveUp();
  }

  /** Everything from here on is kept as the image. */
  #giveUp(): void {
    this.#isPlain = false;
    this.#awaited.clear();
    this.#places.fill(0, Math.ceil(this.#length / this.#layout.clusterBytes));
  }

  #readTables(l1: Buffer): boolean {
    const { clusterBytes } = this.#layout;
    for (let index = 0; index < l1.length / ENTRY_BYTES; index++) {
      const entry = l1.readBigUInt64BE(index * ENTRY_BYTES);
      if (entry === 0n) continue;
      if ((entry & ~(OFFSET | COPIED)) !== 0n) return false;
      if (!this.#await({ at: Number(entry & OFFSET), lengthBytes: clusterBytes, index })) return false;
    }
    return true;
  }

  #await(table: Table): boolean {
    if (!this.#isAhead(table.at)) return false;
    this.#awaited.set(table.at, table);
    return true;
  }

  #readClusters(l2: Buffer, index: number): boolean {
    const { clusterBytes, virtualBytes, version } = this.#layout;
    const first = index * (clusterBytes / ENTRY_BYTES);
    for (let at = 0; at < l2.length / ENTRY_BYTES; at++) {
      const entry = l2.readBigUInt64BE(at * ENTRY_BYTES);
      if (entry === 0n) continue;
      // Packed clusters, and bits that nobody knows yet.
      if ((entry & ~(OFFSET | COPIED | (version > 2 ? ZERO : 0n))) !== 0n) return false;
      if (entry & ZERO) continue;
      const host = Number(entry & OFFSET);
      if ((first + at) * clusterBytes >= virtualBytes || !this.#isAhead(host)) return false;
      this.#place(host / clusterBytes, first + at);
    }
    return true;
  }

  /** Whether something can stand there: at the beginning of a cluster that is still to come, and is nothing else. */
  #isAhead(at: number): boolean {
    const cluster = at / this.#layout.clusterBytes;
    const isCluster = Number.isInteger(cluster) && cluster > 0 && cluster < this.#mostClusters;
    return isCluster && at >= this.#length && !this.#awaited.has(at) && (this.#places[cluster] ?? 0) === 0;
  }

  #place(cluster: number, diskCluster: number): void {
    if (cluster >= this.#places.length) {
      const before = this.#places;
      this.#places = new Uint32Array(Math.max(cluster + 1, before.length * 2));
      this.#places.set(before);
    }
    this.#places[cluster] = diskCluster + 1;
    this.#lastPlaced = Math.max(this.#lastPlaced, cluster);
  }
}

function layoutOf(head: Buffer): Layout | undefined {
  const { virtualBytes, clusterBytes } = qcow2Header(head);
  const version = head.readUInt32BE(4);
  // Any feature that readers have to know: packed otherwise, parts of clusters, not closed properly.
  const hasFeatures = version > 2 && (head.length < 80 || head.readBigUInt64BE(72) !== 0n);
  const hasSnapshots = head.readUInt32BE(60) !== 0;
  if (hasFeatures || hasSnapshots || !CLUSTER_BITS.includes(head.readUInt32BE(20))) return undefined;
  const entries = Math.ceil(virtualBytes / (clusterBytes * (clusterBytes / ENTRY_BYTES)));
  const l1Bytes = entries * ENTRY_BYTES;
  const isKnown = head.readUInt32BE(36) >= entries && l1Bytes <= MAX_L1_BYTES;
  if (!isKnown || virtualBytes / clusterBytes > MAX_CLUSTERS) return undefined;
  return { version, virtualBytes, clusterBytes, l1At: Number(head.readBigUInt64BE(40)), l1Bytes };
}
