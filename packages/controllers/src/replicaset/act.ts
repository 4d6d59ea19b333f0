import { changes, isReason } from '@vireo/api';
import { type Client, type Expectations, keyOf } from '@vireo/kube';
import type { Recorder } from '../context.ts';
import { isDeleting, Vmi } from '../kinds.ts';
import { isNamespaceEnding } from '../namespaceEnding.ts';
import { controllerReference, replicaOf } from './instance.ts';
import { ReplicaSet, type ReplicaSetStatus } from './set.ts';
import { type Attempts, slowStart } from './slowStart.ts';

/** Everything that the controller of replica sets does to the world. */
export interface ReplicaSetActions {
  /** The set as the server has it now, past every cache; undefined where it is gone. */
  reread(set: ReplicaSet): Promise<ReplicaSet | undefined>;
  adopt(set: ReplicaSet, vmi: Vmi): Promise<Vmi | undefined>;
  release(set: ReplicaSet, vmi: Vmi): Promise<void>;
  /** `first`: how many are asked for at once before one was granted. */
  create(set: ReplicaSet, count: number, first: number): Promise<Attempts>;
  /** `isSpent`: they are cleared away, not given up. */
  delete(set: ReplicaSet, vmis: readonly Vmi[], isSpent: boolean): Promise<Attempts>;
  writeStatus(set: ReplicaSet, status: ReplicaSetStatus): Promise<void>;
  tell(set: ReplicaSet, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** `cached`: the instance of that key as the informer has it. */
export function replicaSetActions(
  client: Client,
  recorder: Recorder,
  expectations: Expectations,
  cached: (key: string) => Vmi | undefined,
): ReplicaSetActions {
  const sets = client.of(ReplicaSet);
  const vmis = client.of(Vmi);
  const tell = recorder.event.bind(recorder);

  /** Refused when the instance has changed since: another set may have taken it. */
  const patchOwners = (vmi: Vmi, ownerReferences: Vmi['metadata']['ownerReferences']): Promise<Vmi> => {
    const { name = '', uid, resourceVersion } = vmi.metadata;
    return vmis.patch(name, { metadata: { uid, resourceVersion, ownerReferences } }, { ...at(vmi), type: 'merge' });
  };

  async function createOne(set: ReplicaSet): Promise<void> {
    const key = keyOf(set);
    try {
      const { metadata } = await vmis.create(replicaOf(set));
      const what = `Started the virtual machine by creating the new virtual machine instance ${metadata.name}`;
      tell(set, 'Normal', 'SuccessfulCreate', what);
    } catch (error) {
      expectations.creationObserved(key);
      if (!isNamespaceEnding(error))
        tell(set, 'Warning', 'FailedCreate', `Error creating virtual machine instance: ${text(error)}`);
      throw error;
    }
  }

  async function deleteOne(set: ReplicaSet, vmi: Vmi, isSpent: boolean): Promise<void> {
    const { name = '', uid = '' } = vmi.metadata;
    const key = keyOf(set);
    try {
      await vmis.delete(name, { ...at(vmi), preconditions: { uid } });
    } catch (error) {
      expectations.deletionObserved(key, uid);
      if (isReason(error, 'NotFound', 'Conflict')) return;
      const what = isSpent ? 'finished virtual machine' : 'virtual machine instance';
      tell(set, 'Warning', 'FailedDelete', `Error deleting ${what} ${name}: ${text(error)}`);
      throw error;
    }
    // Deleted by somebody else just before, it will not be shown again.
    const known = cached(keyOf(vmi));
    if (known?.metadata.uid !== uid || isDeleting(known)) expectations.deletionObserved(key, uid);
    const what = isSpent
      ? `Deleted finished virtual machine: ${uid}`
      : `Stopped the virtual machine by deleting the virtual machine instance ${uid}`;
    tell(set, 'Normal', 'SuccessfulDelete', what);
  }

  return {
    tell,
    reread: (set) => sets.get(set.metadata.name ?? '', at(set)).catch(unlessGone),
    adopt: (set, vmi) => patchOwners(vmi, [...otherOwners(set, vmi), controllerReference(set)]).catch(unlessGone),
    async release(set, vmi) {
      await patchOwners(vmi, otherOwners(set, vmi)).catch(unlessGone);
    },
    async create(set, count, first) {
      const key = keyOf(set);
      expectations.expectCreations(key, count);
      let attempted = 0;
      const attempt = () => {
        attempted += 1;
        return createOne(set);
      };
      const attempts = await slowStart(count, attempt, first);
      // Those that were not even tried will not show up.
      for (let left = count - attempted; left > 0; left--) expectations.creationObserved(key);
      return attempts;
    },
    async delete(set, all, isSpent) {
      expectations.expectDeletions(
        keyOf(set),
        all.map(({ metadata }) => metadata.uid ?? ''),
      );
      const ended = await Promise.allSettled(all.map((vmi) => deleteOne(set, vmi, isSpent)));
      const refused = ended.filter((each) => each.status === 'rejected');
      return { succeeded: all.length - refused.length, ...(refused[0] && { error: refused[0].reason }) };
    },
    async writeStatus(set, status) {
      const changed = changes(set.status ?? {}, status);
      if (!changed) return;
      const { name = '', resourceVersion } = set.metadata;
      const patch = { metadata: { resourceVersion }, status: changed };
      await sets.patchStatus(name, patch, { ...at(set), type: 'merge' }).catch((error: unknown) => {
        // A set that has changed comes by again, and its status is made from what it is then.
        if (!isReason(error, 'NotFound', 'Conflict')) throw error;
      });
    },
  };
}

const at = ({ metadata }: { metadata: Vmi['metadata'] }): { namespace?: string } => ({ namespace: metadata.namespace });

const otherOwners = (set: ReplicaSet, { metadata }: Vmi) =>
  (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== set.metadata.uid);

export const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function unlessGone(error: unknown): undefined {
  if (!isReason(error, 'NotFound')) throw error;
  return undefined;
}
