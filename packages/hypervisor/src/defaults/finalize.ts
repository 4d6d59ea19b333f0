import { VMI_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { formatQuantity } from '@vireo/api/quantity.ts';
import { hasPcie } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { EVEN_PARITY_ANNOTATION } from '../dedicatedCpus.ts';
import { bytesOf, readQuantity, topologyOf, vcpusOf } from '../domainSpec.ts';
import { fulfilHypervNeeds } from './features.ts';
import { fillUnset } from './layer.ts';

export const PCI_TOPOLOGY_ANNOTATION = 'kubevirt.io/pci-topology-version';
export const PCI_TOPOLOGY_VERSION = 'v3';

const MAX_VCPUS = 512;
const GIB = 1024n ** 3n;
const BLOCK = 2n * 1024n ** 2n;

/** User that launchers run as. */
const LAUNCHER_USER = 107;

/** What follows from the finished spec, and the status that a new VMI starts with. */
export function finalize(vmi: VirtualMachineInstance, config: ClusterConfig, now: string): VirtualMachineInstance {
  const spec = withRoomToGrow(fulfilHypervNeeds(vmi.spec), config);
  const { cpu, memory, machine } = spec.domain;
  const guest = memory?.guest;
  const { annotations, finalizers = [] } = vmi.metadata ?? {};
  const added = {
    ...(hasPcie(machine?.type ?? '') && { [PCI_TOPOLOGY_ANNOTATION]: PCI_TOPOLOGY_VERSION }),
    ...(config.alignsCpus && cpu?.isolateEmulatorThread && { [EVEN_PARITY_ANNOTATION]: '' }),
  };
  return {
    ...vmi,
    metadata: {
      ...vmi.metadata,
      ...(Object.keys(added).length > 0 && { annotations: { ...added, ...annotations } }),
      finalizers: finalizers.includes(VMI_FINALIZER) ? finalizers : [...finalizers, VMI_FINALIZER],
    },
    spec,
    status: fillUnset(vmi.status ?? {}, {
      phase: 'Pending',
      phaseTransitionTimestamps: [{ phase: 'Pending', phaseTransitionTimestamp: now }],
      memory: guest === undefined ? undefined : { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest },
      currentCPUTopology: topologyOf(cpu),
      runtimeUser: config.gates.has('Root') ? 0 : LAUNCHER_USER,
    }),
  };
}

/** How far a running VMI can grow: as the cluster says, else to a multiple of what it starts with. */
function withRoomToGrow(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  if (config.rolloutStrategy !== 'LiveUpdate' || spec.architecture === 'arm64') return spec;
  return fillUnset(spec, {
    domain: { cpu: { maxSockets: maxSockets(spec, config) }, memory: { maxGuest: maxGuest(spec, config) } },
  });
}

function maxSockets({ domain }: VirtualMachineInstanceSpec, { liveUpdate }: ClusterConfig): number {
  const topology = topologyOf(domain.cpu);
  const perSocket = vcpusOf({ ...topology, sockets: 1 });
  const wanted = liveUpdate.maxCpuSockets ?? topology.sockets * liveUpdate.maxHotplugRatio;
  const most = Math.max(1, Math.floor(MAX_VCPUS / perSocket));
  return Math.max(topology.sockets, Math.min(wanted, most));
}

/** Memory grows in whole blocks from a gibibyte up, and only ordinary memory does. */
function maxGuest({ domain }: VirtualMachineInstanceSpec, { liveUpdate }: ClusterConfig): string | undefined {
  const guest = readQuantity(domain.memory?.guest);
  const bytes = bytesOf(domain.memory?.guest);
  if (!guest || bytes === undefined || bytes < GIB || bytes % BLOCK !== 0n) return undefined;
  const isFixed =
    domain.launchSecurity || domain.cpu?.dedicatedCpuPlacement || domain.cpu?.realtime || domain.memory?.hugepages;
  if (isFixed) return undefined;
  const most = readQuantity(liveUpdate.maxGuest);
  if (most) return most.nano > guest.nano ? formatQuantity(most) : undefined;
  return formatQuantity({ ...guest, nano: guest.nano * BigInt(liveUpdate.maxHotplugRatio) });
}
