import { hasEnded, type Persisted } from '@vireo/api';
import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { keyOf } from '@vireo/kube';
import { NodeState } from './nodeState.ts';

/**
 * What the scheduler believes of the cluster: every node with its pods. A pod that was just placed is assumed to be
 * there until the API confirms it or the binding fails, so that the next decision already counts it.
 */
export class ClusterState {
  readonly #nodes = new Map<string, NodeState>();
  readonly #nodeOfPod = new Map<string, string>();
  readonly #assumed = new Map<string, string>();
  /** Until a node comes or goes; every decision asks for it. */
  #sorted: readonly NodeState[] | undefined;

  /** Nodes that exist, in the order of their names, so that equal decisions are equal every time. */
  nodes(): readonly NodeState[] {
    this.#sorted ??= [...this.#nodes.values()]
      .filter(({ node }) => node !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    return this.#sorted;
  }

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Persisted<Node>): void {
    const state = this.#stateOf(node.metadata.name);
    if (!state.node) this.#sorted = undefined;
    state.node = node;
  }

  removeNode(name: string): void {
    const state = this.#nodes.get(name);
    if (!state) return;
    state.node = undefined;
    this.#sorted = undefined;
    this.#dropIfEmpty(state);
  }

  /** A pod as the API shows it: counted while it is on a node and has not ended. */
  setPod(pod: Pod): void {
    const key = keyOf(pod);
    const nodeName = pod.spec?.nodeName;
    if (this.#assumed.has(key)) {
      // An older view of the pod must not undo the assumption; the bind's own outcome will.
      if (!nodeName && !hasEnded(pod)) return;
      this.#assumed.delete(key);
    }
    this.#detach(key);
    if (nodeName && !hasEnded(pod)) this.#attach(key, pod, nodeName);
  }

  removePod(key: string): void {
    this.#assumed.delete(key);
    this.#detach(key);
  }

  assume(pod: Pod, nodeName: string): void {
    const key = keyOf(pod);
    this.#detach(key);
    this.#attach(key, { ...pod, spec: { ...pod.spec, nodeName } as Pod['spec'] }, nodeName);
    this.#assumed.set(key, nodeName);
  }

  /** Takes back an assumption; a confirmed pod stays. */
  forget(key: string): void {
    if (this.#assumed.delete(key)) this.#detach(key);
  }

  isAssumed(key: string): boolean {
    return this.#assumed.has(key);
  }

  #stateOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (!state) {
      state = new NodeState(name);
      this.#nodes.set(name, state);
    }
    return state;
  }

  #attach(key: string, pod: Pod, nodeName: string): void {
    this.#stateOf(nodeName).addPod(pod);
    this.#nodeOfPod.set(key, nodeName);
  }

  #detach(key: string): void {
    const state = this.#nodes.get(this.#nodeOfPod.get(key) ?? '');
    this.#nodeOfPod.delete(key);
    if (!state) return;
    state.removePod(key);
    this.#dropIfEmpty(state);
  }

  #dropIfEmpty(state: NodeState): void {
    if (!state.node && state.pods.size === 0) this.#nodes.delete(state.name);
  }
}
