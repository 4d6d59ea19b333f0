import { isReason, type KubeObject, type Persisted } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { apiVersionOf, type Client, ignoreNotFound, type ResourceRef } from '@vireo/kube';
import type { ActContext, ActionResource, Targets, Write } from './action.ts';
import { RESOURCES } from './resources.ts';
import { readTarget } from './targets.ts';

type Target = Targets[ActionResource];

/** How often a change is decided on anew because its object changed before it was written. */
const MAX_ATTEMPTS = 20;

/**
 * Decides on a change and writes it; when somebody else was faster, decides anew. What `decide` refuses is refused: only
 * a conflict of the write is tried again.
 */
export async function retryOnConflict<T>(
  decide: (attempt: number) => Promise<T>,
  write: (decided: T) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const decided = await decide(attempt);
    try {
      await write(decided);
      return decided;
    } catch (error) {
      if (!isReason(error, 'Conflict') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** The same for an action that acts: decides on `target` first, and then on what is there by then. */
export async function decideAndWrite<R extends ActionResource>(
  resource: R,
  target: Targets[R],
  decide: (target: Targets[R]) => Promise<readonly Write[]> | readonly Write[],
  { client, dryRun }: Pick<ActContext, 'client' | 'dryRun'>,
): Promise<void> {
  const { namespace, name } = subjectOf(target).metadata;
  await retryOnConflict(
    async (attempt) => {
      // What is read is of the resource that was asked for.
      const now = attempt === 1 ? target : ((await readTarget(client, resource, namespace, name)) as Targets[R]);
      return { now, writes: await decide(now) };
    },
    ({ now, writes }) => write(client, now, writes, dryRun),
  );
}

function subjectOf(target: Target): Pick<Persisted, 'metadata'> {
  const subject = 'object' in target ? target.object : (target.vm ?? target.vmi);
  if (!subject) throw new TypeError('an action writes to an object that does not exist');
  return subject;
}

/**
 * Writes what was decided on `target`, and only if that is still true: the server refuses a patch of an object that
 * has changed since, other than by this. When a write fails, those before it are taken back.
 */
export async function write(client: Client, target: Target, writes: readonly Write[], dryRun: boolean): Promise<void> {
  const done: Write[] = [];
  /** The versions that the writes before have left behind, by uid. */
  const versions = new Map<string | undefined, string | undefined>();
  try {
    for (const each of writes) {
      const { uid, resourceVersion } = metadataOf(target, each.to);
      const body = withVersion(each, versions.get(uid) ?? resourceVersion);
      const { metadata } = await patch(client, target, each.to, body, dryRun);
      if (!dryRun) versions.set(uid, metadata.resourceVersion);
      done.unshift(each);
    }
  } catch (error) {
    if (!dryRun)
      // What has gone has nothing to be taken back.
      for (const { to, undo } of done) if (undo) await patch(client, target, to, undo, false).catch(ignoreNotFound);
    throw error;
  }
}

function patch(client: Client, target: Target, to: Write['to'], body: object, dryRun: boolean): Promise<KubeObject> {
  const { name, namespace } = metadataOf(target, to);
  const options = { namespace, type: 'merge', dryRun } as const;
  if (to === 'vmi') return client.of(VirtualMachineInstance).patch(name, body, options);
  if (to === 'vm') return client.of(VirtualMachine).patch(name, body, options);
  if (to === 'object') return client.of<KubeObject>(kindOf(target)).patch(name, body, options);
  return client.of(VirtualMachine).patchStatus(name, body, options);
}

const withVersion = ({ patch: body }: Write, resourceVersion: string | undefined): object => ({
  ...body,
  metadata: { ...('metadata' in body && (body.metadata as object)), resourceVersion },
});

function metadataOf(target: Target, to: Write['to']): Persisted['metadata'] {
  const object = 'object' in target ? target.object : to === 'vmi' ? target.vmi : target.vm;
  if (!object || (to === 'object') !== 'object' in target)
    throw new TypeError(`an action writes to a ${to} that does not exist`);
  return object.metadata;
}

function kindOf(target: Target): ResourceRef {
  const { apiVersion, kind } = 'object' in target ? target.object : {};
  const found = Object.values(RESOURCES).find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (!found) throw new TypeError(`an action writes to a ${kind}, which has no actions`);
  return found;
}
