import { parseExposition } from './exposition.ts';
import type { MachineSample, Samples } from './fields.ts';
import { type Cluster, codeOf, type Scope } from './source.ts';

/** For how long the nodes, and what was refused of them, are not asked for again. */
const TRUST_MS = 60_000;
/** Nodes that are asked at a time. */
const BATCH_SIZE = 8;

export interface NodeReading {
  readonly samples: Samples;
  /** False if the user may not read some nodes, so that some machines may be missing. */
  readonly isComplete: boolean;
}

/**
 * Reads the guests of nodes that run in processes of their own: Vireo's `/metrics` has only those of the server's node. It
 * takes the user's permission to list nodes and to get nodes/proxy.
 */
export class NodeMetrics {
  readonly #cluster: Cluster;
  readonly #now: () => number;
  #names: { readonly list: readonly string[] | undefined; readonly untilMs: number } | undefined;
  readonly #refusedUntilMs = new Map<string, number>();
  /** Where a machine was last seen, so that one machine takes one node. */
  readonly #nodeOf = new Map<string, string>();

  constructor(cluster: Cluster, now: () => number) {
    this.#cluster = cluster;
    this.#now = now;
  }

  /** `known` is what the server has said already. */
  async read({ namespace, name }: Scope, known: Samples, signal: AbortSignal): Promise<NodeReading> {
    const key = name === undefined ? undefined : `${namespace}/${name}`;
    if (key !== undefined && known.has(key)) return { samples: new Map(), isComplete: true };
    const names = await this.#list(signal);
    if (!names) return { samples: new Map(), isComplete: false };
    const served = new Set([...known.values()].map(({ node }) => node));
    const others = names.filter((node) => !served.has(node));
    const last = key === undefined ? undefined : this.#nodeOf.get(key);
    if (key !== undefined && last !== undefined && others.includes(last)) {
      const found = await this.#readAll([last], signal);
      if (found.samples.has(key)) return found;
    }
    return this.#readAll(others, signal);
  }

  async #readAll(nodes: readonly string[], signal: AbortSignal): Promise<NodeReading> {
    const samples = new Map<string, MachineSample>();
    let isComplete = true;
    for (let first = 0; first < nodes.length; first += BATCH_SIZE)
      await Promise.all(
        nodes.slice(first, first + BATCH_SIZE).map(async (node) => {
          const found = await this.#readNode(node, signal);
          if (!found) isComplete = false;
          for (const [key, sample] of found ?? []) {
            samples.set(key, sample);
            this.#nodeOf.set(key, node);
          }
        }),
      );
    return { samples, isComplete };
  }

  /** Undefined if it is refused. A node that does not answer has no figures, which is a gap. */
  async #readNode(node: string, signal: AbortSignal): Promise<Samples | undefined> {
    if (this.#now() < (this.#refusedUntilMs.get(node) ?? 0)) return undefined;
    try {
      const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/metrics`;
      return parseExposition(await this.#cluster.read(path, signal), this.#now());
    } catch (error) {
      if (codeOf(error) !== 403) return new Map();
      this.#refusedUntilMs.set(node, this.#now() + TRUST_MS);
      return undefined;
    }
  }

  async #list(signal: AbortSignal): Promise<readonly string[] | undefined> {
    if (this.#names && this.#now() < this.#names.untilMs) return this.#names.list;
    let list: string[] | undefined;
    try {
      const { items = [] } = JSON.parse(await this.#cluster.read('/api/v1/nodes', signal)) as {
        items?: readonly { readonly metadata: { readonly name: string } }[];
      };
      list = items.map(({ metadata }) => metadata.name);
    } catch (error) {
      // The server's own guests are known all the same; what failed is tried again with the next sample.
      if (codeOf(error) !== 403) return undefined;
    }
    this.#names = { list, untilMs: this.#now() + TRUST_MS };
    return list;
  }
}
