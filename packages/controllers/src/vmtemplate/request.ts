import {
  conditionOf,
  controllerReference,
  isDeleting,
  isReason,
  mergeConditions,
  type Persisted,
  timestamp,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { REQUEST_UID } from '@vireo/api/kinds/template/names.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { type Client, ignoreNotFoundOrConflict, type Result } from '@vireo/kube';
import { diskDrafts, templateDraft, templateNameOf } from './template.ts';

type Request = Persisted<VirtualMachineTemplateRequest>;

/** How far a request has come, in the words of its conditions. */
interface Progress {
  readonly state: 'Waiting' | 'Failed' | 'Ready';
  readonly message: string;
}

const waiting = (message: string): Progress => ({ state: 'Waiting', message });
const failed = (message: string): Progress => ({ state: 'Failed', message });

/** The snapshot that the disks of a template are copied from, and that goes afterwards. */
const snapshotName = ({ metadata }: Request): string => `template-request-${metadata.uid}`;

/** Makes a template of a VM: a snapshot, the template, and copies of the disks in the snapshot, one after the other. */
export async function reconcileRequest(request: Request, client: Client, now: Date): Promise<Result | undefined> {
  // What it made stays; the snapshot was for the way only, and belongs to it.
  if (isDeleting(request)) return undefined;
  const before = conditionOf(request, 'Progressing');
  if (before?.status === 'False') return expire(request, client, now);
  const progress = await proceed(request, client);
  if (progress.state !== 'Waiting') await removeSnapshot(request, client);
  await client.of(VirtualMachineTemplateRequest).writeStatus(request, {
    ...request.status,
    ...(progress.state === 'Ready' && { templateRef: { name: templateNameOf(request) } }),
    conditions: mergeConditions(
      request.status?.conditions,
      [
        {
          type: 'Ready',
          status: progress.state === 'Ready' ? 'True' : 'False',
          reason: progress.state,
          message: progress.message,
        },
        {
          type: 'Progressing',
          status: progress.state === 'Waiting' ? 'True' : 'False',
          reason: progress.state,
          message: progress.message,
        },
      ],
      now,
    ),
  });
  return undefined;
}

async function proceed(request: Request, client: Client): Promise<Progress> {
  const { namespace, uid } = request.metadata;
  const at = { namespace };
  const name = templateNameOf(request);
  const existing = await client.of(VirtualMachineTemplate).find(name, at);
  if (existing && existing.metadata.labels?.[REQUEST_UID] !== uid)
    return failed(`VirtualMachineTemplate ${namespace}/${name} already exists and was not created by this request`);
  const snapshot = await provideSnapshot(request, client);
  if (typeof snapshot === 'string') return failed(snapshot);
  const { status } = snapshot;
  if (status?.phase === 'Failed')
    return failed(`VirtualMachineSnapshot ${snapshot.metadata.name} failed: ${status.error?.message ?? ''}`);
  if (!status?.readyToUse || !status.virtualMachineSnapshotContentName)
    return waiting(`Waiting for VirtualMachineSnapshot ${snapshot.metadata.name} to be ready`);
  const content = await client.of(VirtualMachineSnapshotContent).find(status.virtualMachineSnapshotContentName, at);
  if (!content) return failed(`VirtualMachineSnapshotContent ${status.virtualMachineSnapshotContentName} is gone`);
  const template = existing ?? (await client.of(VirtualMachineTemplate).create(templateDraft(request, content)));
  for (const draft of diskDrafts(template, content)) {
    const { object: disk } = await client.of(DataVolume).createOrGet(draft);
    const phase = disk.status?.phase ?? 'Pending';
    if (phase === 'Failed') return failed(`DataVolume ${disk.metadata.name} failed`);
    if (phase !== 'Succeeded') return waiting(`Waiting for DataVolume ${disk.metadata.name}, which is ${phase}`);
  }
  return { state: 'Ready', message: `VirtualMachineTemplate ${namespace}/${name} was created` };
}

/** The snapshot, or why there is none. */
async function provideSnapshot(request: Request, client: Client): Promise<Persisted<VirtualMachineSnapshot> | string> {
  const { namespace, uid } = request.metadata;
  const snapshots = client.of(VirtualMachineSnapshot);
  const existing = await snapshots.find(snapshotName(request), { namespace });
  if (existing) return existing;
  try {
    return await snapshots.create({
      metadata: {
        name: snapshotName(request),
        namespace,
        labels: { [REQUEST_UID]: uid },
        ownerReferences: [controllerReference(request, VirtualMachineTemplateRequest)],
      },
      spec: { source: vmReference(request.spec.virtualMachineRef.name) },
    });
  } catch (error) {
    if (isReason(error, 'Invalid', 'Forbidden', 'BadRequest')) return error.message;
    throw error;
  }
}

const removeSnapshot = (request: Request, client: Client) =>
  client
    .of(VirtualMachineSnapshot)
    .delete(snapshotName(request), { namespace: request.metadata.namespace })
    .catch(ignoreNotFoundOrConflict);

/** A request that has done its work goes after a while, where that was asked for. */
async function expire(request: Request, client: Client, now: Date): Promise<Result | undefined> {
  const ready = conditionOf(request, 'Ready');
  const { ttlSecondsAfterFinished: seconds } = request.spec;
  if (ready?.status !== 'True' || seconds === undefined) return undefined;
  const since = Date.parse(ready.lastTransitionTime ?? timestamp(now));
  const remainingMs = since + seconds * 1000 - now.getTime();
  if (remainingMs > 0) return { requeueAfterMs: remainingMs };
  await client.of(VirtualMachineTemplateRequest).deleteExactly(request).catch(ignoreNotFoundOrConflict);
  return undefined;
}
