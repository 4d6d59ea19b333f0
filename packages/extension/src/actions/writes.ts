import type { ObjectMeta } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { apiVersionOf, type Client, type ResourceRef } from '@vireo/kube';
import type { ActionResource, Targets, Write } from './action.ts';
import { RESOURCES } from './resources.ts';

type Target = Targets[ActionResource];

/**
 * Carries out what was decided on `target`, and only if that is still true: the server refuses a patch of an object that
 * has changed since. When a write fails, those before it are taken back.
 */
export async function carryOut(
  client: Client,
  target: Target,
  writes: readonly Write[],
  dryRun: boolean,
): Promise<void> {
  const done: Write[] = [];
  try {
    for (const write of writes) {
      await patch(client, target, write.to, locked(target, write), dryRun);
      done.unshift(write);
    }
  } catch (error) {
    if (!dryRun) for (const { to, undo } of done) if (undo) await patch(client, target, to, undo, false);
    throw error;
  }
}

async function patch(client: Client, target: Target, to: Write['to'], body: object, dryRun: boolean): Promise<void> {
  const { name = '', namespace } = metadataOf(target, to);
  const options = { namespace, type: 'merge', dryRun } as const;
  if (to === 'vmi') await client.of(VirtualMachineInstance).patch(name, body, options);
  else if (to === 'vm') await client.of(VirtualMachine).patch(name, body, options);
  else if (to === 'object') await client.of(kindOf(target)).patch(name, body, options);
  else await client.of(VirtualMachine).patchStatus(name, body, options);
}

const locked = (target: Target, { to, patch: body }: Write): object => ({
  ...body,
  metadata: {
    ...('metadata' in body && (body.metadata as object)),
    resourceVersion: metadataOf(target, to).resourceVersion,
  },
});

function metadataOf(target: Target, to: Write['to']): ObjectMeta {
  const object = 'object' in target ? target.object : to === 'vmi' ? target.vmi : target.vm;
  if (!object || (to === 'object') !== 'object' in target)
    throw new TypeError(`an action wants to write to a ${to} that is not there`);
  return object.metadata;
}

function kindOf(target: Target): ResourceRef {
  const { apiVersion, kind } = 'object' in target ? target.object : {};
  const found = Object.values(RESOURCES).find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (!found) throw new TypeError(`an action wants to write to a ${kind}, which has no actions`);
  return found;
}
