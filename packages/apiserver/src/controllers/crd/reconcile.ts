import { conditionOf, isConditionTrue, type UnknownObject, withCondition } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { CustomResourceDefinition } from '@vireo/api/kinds/index.ts';
import { type Client, ignoreNotFound, type Result } from '@vireo/kube';
import { crdStatus, type TakenNames } from '../../crd/status.ts';
import { CLEANUP_FINALIZER, type Crd, type CrdCondition, type CrdStatus } from '../../crd/types.ts';
import type { Registry } from '../../registry/registry.ts';

const EMPTY_AGAIN_MS = 500;
/** How many objects are deleted at a time. */
const BATCH_SIZE = 64;

export async function reconcileCrd(
  client: Client,
  registry: Registry,
  crd: Crd,
  others: readonly Crd[],
): Promise<Result | undefined> {
  const name = crd.metadata.name as string;
  if (crd.metadata.deletionTimestamp) return empty(client, registry, crd);
  const status = crdStatus(crd, takenNames(crd, others, registry), new Date());
  if (!deepEqual(status, crd.status)) await writeStatus(client, name, status);
  return undefined;
}

const hasFinalizer = (crd: Crd): boolean => crd.metadata.finalizers?.includes(CLEANUP_FINALIZER) ?? false;

const writeStatus = (client: Client, name: string, status: CrdStatus): Promise<unknown> =>
  client.of(CustomResourceDefinition).patchStatus(name, { status }, { type: 'merge' });

/** Deletes the custom objects of a definition that goes, and lets it go when none is left. */
async function empty(client: Client, registry: Registry, crd: Crd): Promise<Result | undefined> {
  const name = crd.metadata.name as string;
  if (!hasFinalizer(crd)) return undefined;
  if (conditionOf(crd, 'Terminating')?.reason === 'InstanceDeletionPending')
    await writeStatus(client, name, terminatingStatus(crd, IN_PROGRESS));
  const resource = registry.findAnyVersion(crd.spec.group, crd.spec.names.plural);
  if (resource) {
    const instances = client.of<UnknownObject>(resource.kind);
    const left = await instances.list({});
    const toDelete = left.items.filter(({ metadata }) => !metadata.deletionTimestamp);
    for (let start = 0; start < toDelete.length; start += BATCH_SIZE)
      await Promise.all(
        toDelete
          .slice(start, start + BATCH_SIZE)
          .map(({ metadata: { name: of, namespace } }) =>
            instances.delete(of as string, { ...(namespace && { namespace }) }).catch(ignoreNotFound),
          ),
      );
    if (left.items.length > 0) return { requeueAfterMs: EMPTY_AGAIN_MS };
  }
  const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  const status = terminatingStatus(crd, isConditionTrue(crd, 'Established') ? COMPLETED : NEVER_ESTABLISHED);
  // As a write of the status, which nothing that is wrong with the spec can hold up.
  await client.of(CustomResourceDefinition).patchStatus(name, { metadata: { finalizers }, status }, { type: 'merge' });
  return undefined;
}

const terminating = (status: 'True' | 'False', reason: string, message: string): CrdCondition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});
const IN_PROGRESS = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const COMPLETED = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const NEVER_ESTABLISHED = terminating('False', 'NeverEstablished', 'resource was never established');

const terminatingStatus = (crd: Crd, condition: CrdCondition): CrdStatus => ({
  ...crd.status,
  conditions: withCondition(crd.status?.conditions, condition, new Date()),
});

/** What other definitions and the built-in kinds of the same group are called. */
function takenNames(crd: Crd, others: readonly Crd[], registry: Registry): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of others) {
    const names = status?.acceptedNames;
    if (spec.group !== crd.spec.group || !names) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  // The registry is never behind, unlike what the controller has heard of the other definitions.
  for (const { kind, custom } of registry.all()) {
    if (kind.group !== crd.spec.group || (custom && kind.plural === crd.spec.names.plural)) continue;
    for (const name of [kind.plural, kind.singular, ...kind.shortNames]) resources.add(name);
    for (const name of [kind.kind, kind.listKind]) kinds.add(name);
  }
  return { resources, kinds };
}
