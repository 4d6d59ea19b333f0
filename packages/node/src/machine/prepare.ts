import { Secret } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { DiskSource } from '@vireo/hypervisor';
import type { Result } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { prepareVolumes } from '../disks/prepare.ts';
import { VolumeError } from '../disks/volumeError.ts';
import type { Machine } from './machine.ts';
import { preparedStatus, waitingReason, waitingStatus } from './podStatus.ts';
import type { Writer } from './write.ts';

const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 300_000;

/** Makes the disks of a machine, or says in its launcher what is in the way. */
export async function prepare(machine: Machine, context: NodeContext, writer: Writer): Promise<Result | undefined> {
  const { vmi, pod, memory } = machine;
  if (!vmi || !pod) return undefined;
  const now = new Date(context.clock.now());
  try {
    await volumesOf(vmi, machine, context);
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    // As kubelets do: the failure first, and from then on that it is being tried less and less often.
    const reason = error.reason === 'ErrImagePull' && waitingReason(pod) ? 'ImagePullBackOff' : error.reason;
    const { waiting } = pod.status?.containerStatuses?.[0]?.state ?? {};
    const isKnown = waiting?.reason === reason && (reason !== 'ContainerCreating' || waiting.message === error.message);
    if (!isKnown) {
      await writer.podStatus(pod, waitingStatus(pod, reason, error.message, now));
      const event = reason === 'ContainerCreating' ? 'FailedMount' : 'Failed';
      context.recorder.event(pod, 'Warning', event, error.message);
    }
    const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** memory.failedPreparations);
    memory.failedPreparations += 1;
    return { requeueAfterMs: delay };
  }
  memory.failedPreparations = 0;
  await writer.podStatus(pod, preparedStatus(pod, context.host.address, now));
  return undefined;
}

/** The disks of a machine by volume; those that are not there are made. */
export function volumesOf(
  vmi: VirtualMachineInstance,
  { files, memory }: Machine,
  { client, images, volumes }: NodeContext,
): Promise<Record<string, DiskSource>> {
  memory.hasFiles = true;
  const { namespace } = vmi.metadata;
  return prepareVolumes(vmi, {
    directory: files.directory,
    images,
    volumes,
    readSecret: async (name) => {
      const { data = {} } = await client.of(Secret).get(name, { namespace });
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]));
    },
  });
}
