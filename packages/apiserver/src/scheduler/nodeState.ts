import type { Persisted } from '@vireo/api';
import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { keyOf } from '@vireo/kube';
import { type HostPort, hostPorts } from './filters/hostPorts.ts';
import { type Amounts, podRequests, podRequestsForScore, toAmounts } from './podRequests.ts';

/** A count of pods that is asked for again and again. */
interface PodCount {
  readonly isCounted: (pod: Pod) => boolean;
  count: number;
}

/** Questions that are remembered for each node; pods of one workload ask the same one. */
const MAX_POD_COUNTS = 32;

/** A node and what is placed on it. The sums follow each pod that comes or goes; nothing is ever added up anew. */
export class NodeState {
  readonly name: string;
  /** Pods on the node by key, assumed ones included. */
  readonly pods = new Map<string, Pod>();
  readonly requested: Record<string, number> = {};
  /** Requests as scores see them: pods that ask for nothing count a little. */
  readonly scored = { cpu: 0, memory: 0 };
  readonly #podsWithAntiAffinity = new Map<string, Pod>();
  readonly #podsWithAffinity = new Map<string, Pod>();
  readonly #podCounts = new Map<string, PodCount>();
  #node: Persisted<Node> | undefined;
  #allocatable: Amounts = {};

  constructor(name: string) {
    this.name = name;
  }

  /** Absent while pods name a node that is not there. */
  get node(): Persisted<Node> | undefined {
    return this.#node;
  }

  set node(node: Persisted<Node> | undefined) {
    this.#node = node;
    this.#allocatable = toAmounts(node?.status?.allocatable ?? node?.status?.capacity);
  }

  get allocatable(): Amounts {
    return this.#allocatable;
  }

  /** Pods that keep others away: the only ones whose rules a newcomer has to be checked against. */
  get podsWithAntiAffinity(): Iterable<Pod> {
    return this.#podsWithAntiAffinity.values();
  }

  /** Pods whose own affinity, required or preferred, may draw or repel a newcomer. */
  get podsWithAffinity(): Iterable<Pod> {
    return this.#podsWithAffinity.values();
  }

  *usedHostPorts(): Iterable<HostPort> {
    for (const pod of this.pods.values()) yield* hostPorts(pod);
  }

  /** How many pods are as asked. `question` stands for `isCounted`, whose response may depend on nothing but the pod. */
  podCount(question: string, isCounted: (pod: Pod) => boolean): number {
    const known = this.#podCounts.get(question);
    if (known) return known.count;
    let count = 0;
    for (const pod of this.pods.values()) if (isCounted(pod)) count++;
    if (this.#podCounts.size >= MAX_POD_COUNTS) this.#podCounts.clear();
    this.#podCounts.set(question, { isCounted, count });
    return count;
  }

  addPod(pod: Pod): void {
    const key = keyOf(pod);
    this.removePod(key);
    this.pods.set(key, pod);
    this.#count(pod, 1);
    const affinity = pod.spec?.affinity;
    if (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length)
      this.#podsWithAntiAffinity.set(key, pod);
    if (affinity?.podAffinity || affinity?.podAntiAffinity) this.#podsWithAffinity.set(key, pod);
  }

  removePod(key: string): void {
    const pod = this.pods.get(key);
    if (!pod) return;
    this.pods.delete(key);
    this.#podsWithAntiAffinity.delete(key);
    this.#podsWithAffinity.delete(key);
    this.#count(pod, -1);
  }

  #count(pod: Pod, sign: 1 | -1): void {
    for (const [name, amount] of Object.entries(podRequests(pod)))
      this.requested[name] = (this.requested[name] ?? 0) + sign * amount;
    const { cpu, memory } = podRequestsForScore(pod);
    this.scored.cpu += sign * cpu;
    this.scored.memory += sign * memory;
    for (const podCount of this.#podCounts.values()) if (podCount.isCounted(pod)) podCount.count += sign;
  }
}
