import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Selector } from '@vireo/api/labelSelector.ts';
import { ownerKey } from '@vireo/kube';
import { parse, ReplicaSet } from './replicaSet.ts';
import { NO_REPLICAS, type ReplicaState, type Replicas, replicaState } from './replicaState.ts';

/**
 * The VMIs that each set controls, grouped by state and kept up with the informer's events. A set of thousands is
 * reconciled several times a second while it scales up; to filter all of its VMIs each time would be most of the work.
 */
export class ReplicaCache {
  /** By the uid of the set. */
  readonly #replicas = new Map<string, ControlledVmis>();
  /** The uid of the set by that of the VMI. */
  readonly #controllers = new Map<string, string>();

  /** How many sets have replicas. */
  get size(): number {
    return this.#replicas.size;
  }

  /** The replicas of the set as they are now; later changes do not change the answer. */
  get(set: ReplicaSet): Replicas {
    const parsed = parse(set);
    const replicas = this.#replicas.get(set.metadata.uid);
    return replicas && 'selector' in parsed ? replicas.list(parsed.selector) : NO_REPLICAS;
  }

  /** A VMI was added or updated. */
  put(vmi: Vmi): void {
    const { uid } = vmi.metadata;
    const controller = controllerUid(vmi);
    if (this.#controllers.get(uid) !== controller) this.remove(uid);
    if (controller === undefined) return;
    this.#controllers.set(uid, controller);
    const replicas = this.#replicas.get(controller) ?? new ControlledVmis();
    this.#replicas.set(controller, replicas);
    replicas.put(vmi);
  }

  remove(uid: string): void {
    const controller = this.#controllers.get(uid);
    if (controller === undefined) return;
    this.#controllers.delete(uid);
    const replicas = this.#replicas.get(controller);
    replicas?.remove(uid);
    if (replicas?.size === 0) this.#replicas.delete(controller);
  }
}

/** The uid of the replica set that controls the VMI; undefined where a VirtualMachine does, or nobody. */
const controllerUid = (vmi: Vmi): string | undefined =>
  ownerKey(vmi, ReplicaSet) === undefined
    ? undefined
    : vmi.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

/** The VMIs of one set by state. A change of one costs the same however many there are. */
class ControlledVmis {
  /** That of the last `list`; before the first, all count as selected. */
  #selector: Selector | undefined;
  /** By the uids of the VMIs. */
  readonly #states = new Map<string, ReplicaState | 'unselected'>();
  readonly #byState = {
    notReady: new Map<string, Vmi>(),
    ready: new Map<string, Vmi>(),
    unknown: new Map<string, Vmi>(),
    finished: new Map<string, Vmi>(),
    deleting: new Map<string, Vmi>(),
    unselected: new Map<string, Vmi>(),
  };

  get size(): number {
    return this.#states.size;
  }

  put(vmi: Vmi): void {
    const { uid, labels } = vmi.metadata;
    const [before, now] = [this.#states.get(uid), replicaState(vmi)];
    const isSelected = this.#selector?.matches(labels) ?? true;
    const state = isSelected || now === 'deleting' ? now : 'unselected';
    if (before !== undefined && before !== state) this.#byState[before].delete(uid);
    this.#states.set(uid, state);
    this.#byState[state].set(uid, vmi);
  }

  remove(uid: string): void {
    const state = this.#states.get(uid);
    if (state === undefined) return;
    this.#states.delete(uid);
    this.#byState[state].delete(uid);
  }

  list(selector: Selector): Replicas {
    if (this.#selector?.toString() !== selector.toString()) this.#regroup(selector);
    const { notReady, ready, unknown, finished, unselected } = this.#byState;
    return {
      active: [...notReady.values(), ...ready.values()],
      readyCount: ready.size,
      unknown: [...unknown.values()],
      finished: [...finished.values()],
      toRelease: [...unselected.values()],
    };
  }

  #regroup(selector: Selector): void {
    this.#selector = selector;
    for (const vmi of Object.values(this.#byState).flatMap((vmis) => [...vmis.values()])) this.put(vmi);
  }
}
