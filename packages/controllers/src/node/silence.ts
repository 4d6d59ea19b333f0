import type { Lease, Node } from '@vireo/api';
import { NEVER_REPORTED } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';

/** The namespace of the leases of nodes. */
export const LEASES = 'kube-node-lease';

/** A node that renews its lease every ten seconds is asked about when no renewal was seen for so long. */
const QUIET_MS = 30_000;
/** One that has no lease sends heartbeats only, as KubeVirt's nodes do: one a minute or so. */
const QUIET_WITHOUT_LEASE_MS = 275_000;

/** How long a node may show no sign of life before the server is asked about it. */
export function quietMsOf({ metadata }: Node, lease: Lease | undefined): number {
  // A Node that was made to say that its host is off has never had an agent.
  const hasReported = metadata.annotations?.[HEARTBEAT_ANNOTATION] !== NEVER_REPORTED;
  return lease?.spec?.renewTime === undefined && hasReported ? QUIET_WITHOUT_LEASE_MS : QUIET_MS;
}
/** How often the server is asked about a node that seems to be silent. */
export const LOOK_MS = 5_000;
/** Looks that are farther apart do not add up: nobody knows what a server that did not answer has missed. */
export const LONGEST_GAP_MS = 3 * LOOK_MS;
/** A node is silent when the server, asked again and again, has had no renewal for so long: more than two are missing. */
export const SILENT_MS = 25_000;

/** What changes as long as a node lives. Its clock may be wrong, so that it changes counts, and not what it says. */
export const signOfLife = ({ metadata }: Node, lease: Lease | undefined): string =>
  `${metadata.annotations?.[HEARTBEAT_ANNOTATION] ?? ''} ${lease?.spec?.renewTime ?? ''}`;

interface Seen {
  readonly sign: string;
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** For how long nodes have shown no other sign of life, as one controller has seen it itself. Forgets all with its process. */
export class Silence {
  readonly #longestGapMs: number;
  readonly #seen = new Map<string, Seen>();

  /** `longestGapMs`: after so long without a look it counts anew. */
  constructor(longestGapMs = Number.POSITIVE_INFINITY) {
    this.#longestGapMs = longestGapMs;
  }

  /** Takes note of the sign that a node shows now; for how long it has shown no other. */
  look(node: string, sign: string, nowMs: number): number {
    const before = this.#seen.get(node);
    const gapMs = nowMs - (before?.lastMs ?? 0);
    // A clock that was set back shows nothing either.
    const isKnown = before?.sign === sign && gapMs >= 0 && gapMs <= this.#longestGapMs;
    const sinceMs = isKnown ? before.sinceMs : nowMs;
    this.#seen.set(node, { sign, sinceMs, lastMs: nowMs });
    return nowMs - sinceMs;
  }

  forget(node: string): void {
    this.#seen.delete(node);
  }
}

/** What a controller remembers of silences. */
export interface Silences {
  /** As the cache shows them. */
  readonly cached: Silence;
  /** As the server, asked again and again, has confirmed them. */
  readonly confirmed: Silence;
}
