import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Libvirt } from '@vireo/libvirt';
import { DAMAGED } from './guest.ts';
import { type NodeLayout, vmisOnDisk } from './places.ts';

/** What is known of one guest from what it has printed, wherever it ran. */
export interface Testimony {
  /** Numbers that it has printed, with the node where it did. */
  readonly numbers: Map<number, string>;
  highest: number;
}

/** Takes down what a guest has printed on a node; returns what is wrong with it. */
export function hear(testimony: Testimony, node: string, printed: string): string[] {
  const problems = new Set<string>();
  if (printed.includes(DAMAGED)) problems.add(`on ${node}, a sector of the disk is not as the guest has written it`);
  for (const [, digits = ''] of printed.matchAll(/^([0-9a-f]{8})$/gm)) {
    const number = Number.parseInt(digits, 16);
    const before = testimony.numbers.get(number);
    if (before !== undefined) problems.add(`the guest has counted twice, on ${before} and on ${node}`);
    testimony.numbers.set(number, node);
    testimony.highest = Math.max(testimony.highest, number);
  }
  return [...problems];
}

/** Domains that execute, by node: `undefined` where libvirt does not answer. */
export type Executing = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** The VMIs whose guests execute on two nodes. Between two looks at the same node a guest cannot have left it and come. */
export function twice(before: Executing, between: Executing): string[] {
  const found: string[] = [];
  for (const [node, domains] of before)
    for (const domain of domains ?? [])
      for (const [other, theirs] of between)
        if (other !== node && theirs?.has(domain)) found.push(`${domain} executes on ${node} and on ${other}`);
  return found;
}

const LOOK_MS = 200;
const EXECUTES = new Set(['running', 'blocked']);

/** Looks all the time at what executes where, and at what guests print. */
export class Witness {
  /** By the VMI's uid. */
  readonly guests = new Map<string, Testimony>();
  /** The uids of VMIs whose guests were seen to execute, by node. */
  readonly seen = new Map<string, Set<string>>();
  looks = 0;
  readonly #problems = new Set<string>();
  readonly #nodes: ReadonlyMap<string, NodeLayout>;
  readonly #daemons = new Map<string, Libvirt>();
  /** How much of each log was read. */
  readonly #read = new Map<string, { inode: number; at: number; rest: string }>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(nodes: ReadonlyMap<string, NodeLayout>) {
    this.#nodes = nodes;
  }

  start(): void {
    this.#running = (async () => {
      while (!this.#stopping.signal.aborted) {
        await this.look();
        await delay(LOOK_MS);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const daemon of this.#daemons.values()) await daemon.close().catch(() => {});
  }

  problems(): string[] {
    const found = [...this.#problems];
    this.#problems.clear();
    return found;
  }

  async look(): Promise<void> {
    const first = await this.executing();
    const second = await this.executing();
    // Who executes at the first and the last look executed at the second, too.
    const stayed = await this.executing();
    const both = new Map(
      [...first].map(([node, domains]) => [
        node,
        new Set([...(domains ?? [])].filter((domain) => stayed.get(node)?.has(domain))),
      ]),
    );
    for (const problem of twice(both, second)) this.#problems.add(problem);
    for (const [node, domains] of first)
      for (const uid of domains ?? []) this.seen.set(node, (this.seen.get(node) ?? new Set()).add(uid));
    for (const [node, layout] of this.#nodes) await this.#listen(node, layout);
    this.looks += 1;
  }

  /** The uids of VMIs whose guests execute, by libvirt's word: one that waits for its guest is paused. */
  async executing(): Promise<Executing> {
    const entries = await Promise.all(
      [...this.#nodes].map(async ([node, layout]) => [node, await this.#ask(node, layout)] as const),
    );
    return new Map(entries);
  }

  async #ask(node: string, { libvirtSocket: socket, uri }: NodeLayout): Promise<ReadonlySet<string> | undefined> {
    const daemon = this.#daemons.get(node) ?? (await connect({ socket, uri }).catch(() => undefined));
    if (!daemon) return undefined;
    this.#daemons.set(node, daemon);
    try {
      const found = new Set<string>();
      for (const domain of await daemon.listDomains()) {
        // One that has just gone does not execute.
        const { state } = await daemon.domainState(domain).catch(() => ({ state: 'shutoff' }));
        if (EXECUTES.has(state)) found.add(domain.uuid);
      }
      return found;
    } catch {
      this.#daemons.delete(node);
      await daemon.close().catch(() => {});
      return undefined;
    }
  }

  async #listen(node: string, layout: NodeLayout): Promise<void> {
    for (const uid of await vmisOnDisk(layout)) {
      const path = join(layout.vmis, uid, 'serial.log');
      const file = await open(path).catch(() => undefined);
      if (!file) continue;
      try {
        const { ino: inode, size } = await file.stat();
        const known = this.#read.get(path);
        const state = known && known.inode === inode && known.at <= size ? known : { inode, at: 0, rest: '' };
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - state.at), 0, size - state.at, state.at);
        const text = state.rest + buffer.toString('latin1', 0, bytesRead);
        const end = text.lastIndexOf('\n') + 1;
        this.#read.set(path, { inode, at: state.at + bytesRead, rest: text.slice(end) });
        const testimony = this.guests.get(uid) ?? { numbers: new Map(), highest: -1 };
        this.guests.set(uid, testimony);
        for (const problem of hear(testimony, node, text.slice(0, end))) this.#problems.add(`${uid}: ${problem}`);
      } finally {
        await file.close();
      }
    }
  }
}
