import { Node, type Persisted, Pod, withCondition } from '@vireo/api';
import {
  MEMORY_HOTPLUG_FAILED,
  MEMORY_IN_USE,
  NODE_FULL,
  VCPU_HOTPLUG_FAILED,
} from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import { formatBytes } from '@vireo/api/quantity.ts';
import { ConversionError, convertMemoryDevice, MEMORY_ALIAS } from '@vireo/hypervisor';
import { DeviceFlags, isLibvirtError, LibvirtError, VcpuFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { applyLimits } from '../limits/applyLimits.ts';
import { Turns } from '../turns.ts';
import { findMemoryDevice, memoryDeviceXml } from './domainView.ts';
import { launcherOptions } from './launcher.ts';
import type { RunningVmi } from './localVmi.ts';
import { setMemlockLimit } from './memlock.ts';
import { grantedContainers, missingRoom } from './room.ts';
import { isGrowing, type SizePlan, type SizeProblems } from './size.ts';
import type { StatusWriter } from './statusWriter.ts';

/** What could not be done about CPUs and memory, and after how long to look again. */
interface ChangedSize {
  readonly sizeProblems?: SizeProblems;
  readonly sizeAgainMs?: number | undefined;
}

/** A node that is full is looked at again after so long. */
const ROOM_AGAIN_MS = 10_000;

/** Guests that grow at the same time must not share the same room. */
const turns = new Turns();

/** Gives a running guest the CPUs and the memory of its VMI. */
export async function changeSize(
  local: RunningVmi,
  plan: SizePlan,
  context: NodeContext,
  writer: StatusWriter,
): Promise<ChangedSize> {
  const { domain } = local;
  let granted = local;
  if (isGrowing(plan, domain.view)) {
    const { pod, missing } = await turns.take(context.host.name, () => takeRoom(local, context, writer));
    if (missing !== undefined) {
      const message = `node ${context.host.name} has no room for it: ${missing}`;
      const full = { status: 'True', reason: NODE_FULL, message } as const;
      return {
        sizeProblems: { ...(plan.vcpus && { vcpus: full }), ...(plan.pluggedBytes && { memory: full }) },
        sizeAgainMs: ROOM_AGAIN_MS,
      };
    }
    granted = { ...local, pod };
    await applyLimits(granted, context);
    await setMemlockLimit(granted, context);
  }
  const vcpus = plan.vcpus === undefined ? undefined : await plugVcpus(granted, plan.vcpus, context);
  const memory = plan.pluggedBytes === undefined ? undefined : await plugMemory(granted, plan.pluggedBytes, context);
  await context.domains.refresh(domain.ref, { rereadXml: true });
  return { sizeProblems: { vcpus, memory } };
}

/** Grants a launcher what it asks for by now, where the node has that; else says what is missing. */
async function takeRoom(
  { pod }: RunningVmi,
  { kubelet, host, clock }: NodeContext,
  writer: StatusWriter,
): Promise<{ readonly pod: Persisted<Pod>; readonly missing?: string }> {
  const [node, { items: pods }] = await Promise.all([
    kubelet.of(Node).get(host.name),
    kubelet.of(Pod).list({ fieldSelector: `spec.nodeName=${host.name}` }),
  ]);
  const current = pods.find(({ metadata }) => metadata.uid === pod.metadata.uid) ?? pod;
  const missing = missingRoom(node, pods, current);
  const now = new Date(clock.now());
  if (missing !== undefined) {
    const pending = { type: 'PodResizePending', status: 'True', reason: 'Deferred', message: missing };
    await writer.podStatus(current, { conditions: withCondition(current.status?.conditions, pending, now) });
    return { pod: current, missing };
  }
  const settled = { type: 'PodResizePending', status: 'False' };
  const wasPending = current.status?.conditions?.some(({ type }) => type === settled.type);
  await writer.podStatus(current, {
    containerStatuses: grantedContainers(current),
    ...(wasPending && { conditions: withCondition(current.status?.conditions, settled, now) }),
  });
  return { pod: current };
}

async function plugVcpus({ vmi, domain }: RunningVmi, count: number, { libvirt, recorder }: NodeContext) {
  try {
    await libvirt.long.setVcpus(domain.ref, count, VcpuFlags.LIVE);
  } catch (error) {
    const why = refusal(error);
    recorder.event(vmi, 'Warning', VCPU_HOTPLUG_FAILED, `failed to change vCPUs: ${why}`);
    return { status: 'False', reason: VCPU_HOTPLUG_FAILED, message: `failed to change vCPUs: ${why}` } as const;
  }
  const before = domain.view.vcpuCount;
  recorder.event(vmi, 'Normal', 'VCPUsPlugged', `The guest has ${count} virtual CPUs instead of ${before}`);
  return undefined;
}

async function plugMemory(local: RunningVmi, pluggedBytes: number, context: NodeContext) {
  const { vmi, domain } = local;
  const { libvirt, recorder } = context;
  try {
    const device = findMemoryDevice(await libvirt.calls.domainXml(domain.ref), MEMORY_ALIAS);
    if (device) await libvirt.long.updateDevice(domain.ref, memoryDeviceXml(device, pluggedBytes), DeviceFlags.LIVE);
    else await libvirt.long.attachDevice(domain.ref, newDevice(local, context), DeviceFlags.LIVE);
  } catch (error) {
    recorder.event(vmi, 'Warning', 'HotplugFailed', `failed to update guest memory: ${refusal(error)}`);
    const message = 'memory hotplug failed, the VM configuration is not supported';
    return { status: 'False', reason: MEMORY_HOTPLUG_FAILED, message } as const;
  }
  const more = pluggedBytes === 0 ? 'what it had at boot' : `${formatBytes(pluggedBytes)} more than at boot`;
  recorder.event(vmi, 'Normal', 'MemoryChanged', `The guest was told to use ${more}`);
  const isLess = pluggedBytes < (domain.view.memory?.requestedBytes ?? 0);
  return isLess ? ({ status: 'True', reason: MEMORY_IN_USE } as const) : undefined;
}

const newDevice = ({ vmi, pod, uid, files }: RunningVmi, { host }: NodeContext): string =>
  convertMemoryDevice(vmi, {
    ...launcherOptions(pod),
    architecture: host.architecture,
    domainUuid: uid,
    volumes: {},
    interfaces: {},
    paths: files.paths,
  });

/** Why libvirt refuses a change for good. Whatever else went wrong is thrown, and tried again. */
function refusal(error: unknown): string {
  const isForGood = error instanceof LibvirtError || error instanceof ConversionError;
  if (!isForGood || isLibvirtError(error, 'OPERATION_TIMEOUT')) throw error;
  return error.message;
}
