import { isIPv4 } from 'node:net';
import type { Node, Persisted, Pod } from '@vireo/api';
import { AGENT_VERSION_SUFFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import { type Clock, type ControllerMetrics, type Log, runController, WorkQueue, watch } from '@vireo/kube';
import {
  addPeer,
  contains,
  ensureOverlay,
  type NetworkPlan,
  nodeAddress,
  type OverlaySettings,
  type Peer,
  peerFragment,
  type Ruleset,
  readOverlayRanges,
  removePeer,
} from '@vireo/network';
import type { NetworkObjects } from './objects.ts';

export interface PeersContext {
  readonly plan: NetworkPlan;
  readonly overlay: OverlaySettings;
  readonly objects: Pick<NetworkObjects, 'nodes' | 'pods'>;
  readonly ruleset: Ruleset;
  readonly node: string;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

/**
 * Another node as this one reaches its guests; undefined if it has none that can be reached. `pods`: of that node; guests
 * that moved there keep addresses that are not of its range.
 */
export function peerOf({ spec, status }: Node, pods: readonly Pod[]): Peer | undefined {
  const range = spec?.podCIDR;
  const underlay = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (!status?.nodeInfo?.kubeletVersion?.endsWith(AGENT_VERSION_SUFFIX)) return undefined;
  if (!range || !isIPv4(range.split('/')[0] ?? '') || !underlay || !isIPv4(underlay)) return undefined;
  const moved = pods.flatMap(({ status: { podIP, phase, hostIP } = {} }) =>
    podIP && isIPv4(podIP) && podIP !== hostIP && phase === 'Running' && !contains(range, podIP) ? [`${podIP}/32`] : [],
  );
  return { underlay, own: nodeAddress(range), ranges: [range, ...[...new Set(moved)].sort()] };
}

/** Keeps the ways to the guests of other nodes. */
export class Peers {
  readonly #context: PeersContext;
  readonly #queue: WorkQueue;
  /** What the kernel has, by the name of the node. */
  readonly #known = new Map<string, Peer>();
  #hasOverlay = false;

  constructor(context: PeersContext) {
    this.#context = context;
    this.#queue = new WorkQueue({ clock: context.clock });
  }

  /** Makes all ways, and follows changes until `signal` aborts. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { objects, plan, node, log, clock, metrics } = this.#context;
    const { nodes, pods } = objects;
    for (const { metadata } of nodes.list()) await this.#reconcile(metadata.name);
    if (this.#hasOverlay) {
      const wanted = new Set([...this.#known.values()].flatMap(({ own, ranges }) => [`${own}/32`, ...ranges]));
      for (const range of await readOverlayRanges(plan))
        if (!wanted.has(range)) await removePeer(plan, { underlay: '0.0.0.0', own: plan.own, ranges: [] }, [range]);
    }
    const isElsewhere = ({ spec }: Pod): boolean => spec?.nodeName !== undefined && spec.nodeName !== node;
    const nodeOf = (pod: Persisted<Pod>): string[] =>
      isElsewhere(pod) && pod.spec?.nodeName ? [pod.spec.nodeName] : [];
    const ended = runController(
      {
        name: 'network-peers',
        queue: this.#queue,
        watches: [
          watch(nodes, {
            added: ({ metadata }) => metadata.name,
            updated: (old, { metadata, ...now }) =>
              isSame(peerOf(old, []), peerOf({ metadata, ...now }, [])) ? undefined : metadata.name,
            deleted: ({ metadata }) => metadata.name,
          }),
          watch(pods, {
            added: nodeOf,
            updated: (old, pod) =>
              old.status?.podIP === pod.status?.podIP && old.status?.phase === pod.status?.phase
                ? undefined
                : nodeOf(pod),
            deleted: nodeOf,
          }),
        ],
        reconcile: async (name) => {
          await this.#reconcile(name);
          return undefined;
        },
      },
      { log, clock, ...(metrics && { metrics }) },
      signal,
    );
    return { ended };
  }

  async #reconcile(name: string): Promise<void> {
    const { objects, plan, overlay, ruleset, node } = this.#context;
    if (name === node) return;
    const found = objects.nodes.get(name);
    const before = this.#known.get(name);
    const peer = found && peerOf(found, objects.pods.byIndex('node', name));
    if (isSame(before, peer)) return;
    if (before && (!peer || peer.own !== before.own || peer.underlay !== before.underlay)) {
      await removePeer(plan, before, 'all');
      this.#known.delete(name);
      ruleset.drop(`peer/${name}`);
    } else if (before && peer) {
      await removePeer(
        plan,
        before,
        before.ranges.filter((range) => !peer.ranges.includes(range)),
      );
    }
    if (peer) {
      if (!this.#hasOverlay) await ensureOverlay(plan, overlay);
      this.#hasOverlay = true;
      ruleset.put(`peer/${name}`, peerFragment(peer));
      await addPeer(plan, peer);
      this.#known.set(name, peer);
    }
    await ruleset.apply();
  }
}

const isSame = (a: Peer | undefined, b: Peer | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
