import { ApiError, badRequest, isReason } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { clusterConfig } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import { askNode } from '../../streams/nodeRequest.ts';
import type { ActContext, Targets, Write } from '../action.ts';
import { decideAndWrite } from '../writes.ts';
import type { Gate, VolumeChange } from './plan.ts';

type Resource = 'virtualmachines' | 'virtualmachineinstances';

/** Decides on a change of volumes and carries it out. What a running guest has to agree to, it is asked for first. */
export async function changeVolumes<R extends Resource>(
  resource: R,
  target: Targets[R],
  decide: (target: Targets[R], gate: Gate) => Promise<VolumeChange>,
  context: ActContext,
): Promise<undefined> {
  const gate = await openGate(context.client);
  const writes = async (now: Targets[R]): Promise<readonly Write[]> => {
    const change = await decide(now, gate);
    await openTray(change, context);
    return change.writes;
  };
  await decideAndWrite(resource, target, writes, context);
  return undefined;
}

/** One of the two has to be open; the old one wins. */
async function openGate(client: Client): Promise<Gate> {
  const kubevirt = await client.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE });
  const { gates } = clusterConfig(kubevirt);
  if (gates.has('HotplugVolumes')) return 'HotplugVolumes';
  if (gates.has('DeclarativeHotplugVolumes')) return 'DeclarativeHotplugVolumes';
  throw badRequest('Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.');
}

/** Refuses where the guest holds the tray shut; nothing is written then. */
async function openTray({ tray, refuse }: VolumeChange, { nodes, dryRun, request }: ActContext): Promise<void> {
  if (!tray) return;
  const { vmi, drive, force } = tray;
  try {
    const body = { name: drive, force, dryRun };
    await askNode(nodes, vmi, { method: 'PUT', path: 'cdroms/release', body, signal: request.signal });
  } catch (error) {
    // A simulated node has no trays.
    if (error instanceof ApiError && error.code === 404) return;
    if (!isReason(error, 'Conflict')) throw error;
    throw refuse(
      `the guest has locked the tray of CD-ROM drive [${drive}]: unmount the disc in the guest, ` +
        'or set force to eject it anyway (vireo cdrom eject --force)',
    );
  }
}
