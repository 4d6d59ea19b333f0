import { isConditionTrue, type Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { Sample } from '@vireo/kube';
import { launcherHypervisor } from '../vmi/launcherCommand.ts';
import { type FindType, purposeOf, typesOfVmi } from './labels.ts';
import type { ObjectMetric } from './objectMetric.ts';

/** What the metrics of VMIs look up. */
export interface VmiContext {
  readonly findType: FindType;
  /** The launcher of the VMI of that uid. */
  launcher(uid: string): Pod | undefined;
  /** What becomes of VMIs that say nothing of it when their node is drained. */
  evictionStrategy(): string;
}

/** Says that a VM runs with an older launcher than there is. */
const OUTDATED_LABEL = 'kubevirt.io/outdatedLauncherImage';

export const isOutdated = ({ metadata }: Vmi): boolean => Object.hasOwn(metadata.labels ?? {}, OUTDATED_LABEL);

const PLACE = ['node', 'namespace', 'name'] as const;
const placeOf = ({ metadata, status }: Vmi): string[] => [
  status?.nodeName ?? '',
  metadata.namespace ?? '',
  metadata.name,
];

/** What VMIs are counted by: of many that are alike there is one line. */
const KIND_LABELS = [
  'phase',
  'os',
  'workload',
  'flavor',
  'instance_type',
  'preference',
  'guest_os_kernel_release',
  'guest_os_machine',
  'guest_os_arch',
  'guest_os_name',
  'guest_os_version_id',
] as const;

function kindOf(vmi: Vmi, findType: FindType): string[] {
  const { phase = '', guestOSInfo: os = {}, machine } = vmi.status ?? {};
  const guest = [os.kernelRelease, machine?.type, os.machine, os.name, os.versionId].map((value) => value ?? '');
  return [phase.toLowerCase(), ...purposeOf(vmi.metadata.annotations), ...typesOfVmi(vmi, findType), ...guest];
}

/** One that is to be moved when its node is drained, and cannot: it keeps the node from being drained. */
function isEvictable({ spec, status }: Vmi, fallback: string): boolean {
  const strategy = spec.evictionStrategy ?? fallback;
  const isMovable = isConditionTrue({ status }, 'LiveMigratable');
  return strategy === 'LiveMigrate' ? isMovable : true;
}

/** The metrics of every VMI. */
export const VMI_METRICS: readonly ObjectMetric<Vmi, VmiContext>[] = [
  {
    name: 'kubevirt_vmi_info',
    help: 'Information about VirtualMachineInstances.',
    type: 'gauge',
    labels: [...PLACE, ...KIND_LABELS, 'evictable', 'outdated', 'vmi_pod'],
    samples: (vmi, { findType, launcher, evictionStrategy }) => {
      const pod = launcher(vmi.metadata.uid);
      const isHere = pod?.status?.phase === 'Running' && pod.spec?.nodeName === vmi.status?.nodeName;
      const state = [isEvictable(vmi, evictionStrategy()), isOutdated(vmi)].map(String);
      const labels = [...placeOf(vmi), ...kindOf(vmi, findType), ...state, (isHere && pod.metadata.name) || ''];
      return [{ labels, value: 1 }];
    },
  },
  {
    name: 'kubevirt_vmi_non_evictable',
    help: 'Indication for a VirtualMachine that its eviction strategy is set to Live Migration but is not migratable.',
    type: 'gauge',
    labels: PLACE,
    samples: (vmi, { evictionStrategy }) => [
      { labels: placeOf(vmi), value: isEvictable(vmi, evictionStrategy()) ? 0 : 1 },
    ],
  },
  {
    name: 'kubevirt_vmi_launcher_memory_overhead_bytes',
    help: "Estimation of the memory amount required for virt-launcher's infrastructure components (e.g. libvirt, QEMU).",
    type: 'gauge',
    labels: ['namespace', 'name'],
    samples: ({ metadata, status }) => {
      const overhead = status?.memory?.memoryOverhead;
      if (overhead === undefined) return [];
      return [{ labels: [metadata.namespace ?? '', metadata.name], value: Number(toBytes(overhead)) }];
    },
  },
];

/** Labels of how many VMIs there are of a kind; the last is not KubeVirt's. */
export const PHASE_LABELS = ['node', ...KIND_LABELS, 'hypervisor'] as const;

/** How many VMIs there are, by what they are, where they are and what runs them. */
export function phaseSamples(vmis: readonly Vmi[], { findType, launcher }: VmiContext): Sample[] {
  const counts = new Map<string, { labels: string[]; value: number }>();
  for (const vmi of vmis) {
    const pod = launcher(vmi.metadata.uid);
    const labels = [vmi.status?.nodeName ?? '', ...kindOf(vmi, findType), (pod && launcherHypervisor(pod)) ?? ''];
    const key = labels.join('\n');
    const known = counts.get(key);
    if (known) known.value++;
    else counts.set(key, { labels, value: 1 });
  }
  return [...counts.values()];
}
