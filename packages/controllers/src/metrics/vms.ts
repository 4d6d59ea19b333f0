import type { PersistentVolumeClaim } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { toBytes, toMilli } from '@vireo/api/quantity.ts';
import type { Sample } from '@vireo/kube';
import { type FindType, purposeOf, typesOfVm } from './labels.ts';
import { type ObjectMetric, seconds } from './objectMetric.ts';

/** What the metrics of VMs look up. */
export interface VmContext {
  readonly findType: FindType;
  /** By `namespace/name`. */
  claim(key: string): PersistentVolumeClaim | undefined;
  /** The VM with its instance type and preference written out. */
  expanded(vm: Vm): Vm;
}

/** Words of `printableStatus` by what they amount to. */
const STATUS_GROUPS = {
  starting: ['Provisioning', 'Starting', 'WaitingForVolumeBinding'],
  running: ['Running'],
  migrating: ['Migrating', 'WaitingForReceiver'],
  non_running: ['Stopped', 'Paused', 'Stopping', 'Terminating'],
  error: [
    'CrashLoopBackOff',
    'Unknown',
    'ErrorUnschedulable',
    'ErrImagePull',
    'ImagePullBackOff',
    'ErrorPvcNotFound',
    'DataVolumeError',
  ],
} as const satisfies Record<string, readonly string[]>;

type StatusGroup = keyof typeof STATUS_GROUPS;

const GROUP_OF = new Map(
  Object.entries(STATUS_GROUPS).flatMap(([group, words]) => words.map((word) => [word as string, group])),
);
const groupOf = ({ status }: Vm): string => GROUP_OF.get(status?.printableStatus ?? '') ?? 'error';

const idOf = ({ metadata }: Vm): [string, string] => [metadata.name, metadata.namespace ?? ''];
const ID = ['name', 'namespace'] as const;

/** When the VM came into its status; as KubeVirt has it, -1 before any condition tells. */
function lastTransition({ status }: Vm): number {
  const times = (status?.conditions ?? [])
    .filter(({ type }) => ['Ready', 'Failure', 'Paused'].includes(type))
    .map(({ lastTransitionTime }) => (lastTransitionTime ? seconds(lastTransitionTime) : -1));
  return Math.max(-1, ...times);
}

const transition = (group: StatusGroup, what: string): ObjectMetric<Vm, VmContext> => ({
  name: `kubevirt_vm_${group}_status_last_transition_timestamp_seconds`,
  help: `Virtual Machine last transition timestamp to ${what} status.`,
  type: 'counter',
  labels: ID,
  samples: (vm) => [{ labels: idOf(vm), value: groupOf(vm) === group ? lastTransition(vm) : 0 }],
});

/** The metrics of every VM, running or not. */
export const VM_METRICS: readonly ObjectMetric<Vm, VmContext>[] = [
  {
    name: 'kubevirt_vm_info',
    help: 'Information about Virtual Machines.',
    type: 'gauge',
    labels: [
      ...ID,
      'os',
      'workload',
      'flavor',
      'machine_type',
      'instance_type',
      'preference',
      'status',
      'status_group',
    ],
    samples: (vm, { findType }) => {
      const { metadata, spec } = vm.spec.template;
      const machineType = spec?.domain.machine?.type ?? '';
      const status = (vm.status?.printableStatus ?? '').toLowerCase();
      const labels = [...purposeOf(metadata?.annotations), machineType, ...typesOfVm(vm, findType)];
      return [{ labels: [...idOf(vm), ...labels, status, groupOf(vm)], value: 1 }];
    },
  },
  {
    name: 'kubevirt_vm_create_date_timestamp_seconds',
    help: 'Virtual Machine creation timestamp.',
    type: 'gauge',
    labels: ID,
    samples: (vm) => [{ labels: idOf(vm), value: seconds(vm.metadata.creationTimestamp) }],
  },
  transition('starting', 'starting'),
  transition('running', 'running'),
  transition('migrating', 'migrating'),
  transition('non_running', 'paused/stopped'),
  transition('error', 'error'),
  {
    name: 'kubevirt_vm_resource_requests',
    help: 'Resources requested by Virtual Machine. Reports memory and CPU requests.',
    type: 'gauge',
    labels: [...ID, 'resource', 'unit', 'source'],
    samples: (vm, { expanded }) => requests(expanded(vm)),
  },
  {
    name: 'kubevirt_vm_resource_limits',
    help: 'Resource limits set for a Virtual Machine. Reports CPU and memory limits only when they are defined.',
    type: 'gauge',
    labels: [...ID, 'resource', 'unit'],
    samples: (vm, { expanded }) => limits(expanded(vm)),
  },
  {
    name: 'kubevirt_vm_disk_allocated_size_bytes',
    help:
      'Allocated disk size of a Virtual Machine in bytes, based on its PersistentVolumeClaim. Includes ' +
      'persistentvolumeclaim (PVC name), volume_mode (disk presentation mode: Filesystem or Block), and device ' +
      '(disk name).',
    type: 'gauge',
    labels: [...ID, 'persistentvolumeclaim', 'volume_mode', 'device'],
    samples: disks,
  },
];

function* requests(vm: Vm): Iterable<Sample> {
  const { cpu, memory, resources } = vm.spec.template.spec?.domain ?? {};
  const of = (value: number, ...labels: string[]): Sample => ({ labels: [...idOf(vm), ...labels], value });
  const asked = resources?.requests ?? {};
  if (asked.memory) yield of(Number(toBytes(asked.memory)), 'memory', 'bytes', 'domain');
  if (memory?.guest) yield of(Number(toBytes(memory.guest)), 'memory', 'bytes', 'guest');
  if (memory?.hugepages?.pageSize) yield of(Number(toBytes(memory.hugepages.pageSize)), 'memory', 'bytes', 'hugepages');
  for (const unit of ['cores', 'threads', 'sockets'] as const) {
    const count = cpu?.[unit];
    if (count) yield of(count, 'cpu', unit, 'domain');
  }
  if (asked.cpu) yield of(Number(toMilli(asked.cpu)) / 1000, 'cpu', 'cores', 'requests');
  else if (!cpu) for (const unit of ['cores', 'threads', 'sockets']) yield of(1, 'cpu', unit, 'default');
}

function* limits(vm: Vm): Iterable<Sample> {
  const { cpu, memory } = vm.spec.template.spec?.domain.resources?.limits ?? {};
  if (memory) yield { labels: [...idOf(vm), 'memory', 'bytes'], value: Number(toBytes(memory)) };
  if (cpu) yield { labels: [...idOf(vm), 'cpu', 'cores'], value: Number(toMilli(cpu)) / 1000 };
}

function* disks(vm: Vm, { claim: claimOf }: VmContext): Iterable<Sample> {
  for (const volume of vm.spec.template.spec?.volumes ?? []) {
    const claimName = claimNameOf(volume);
    const claim = claimName === undefined ? undefined : claimOf(`${vm.metadata.namespace}/${claimName}`);
    if (!claim?.spec || claimName === undefined) continue;
    const template = (vm.spec.dataVolumeTemplates ?? []).find(
      ({ metadata }) => metadata?.name === volume.dataVolume?.name,
    );
    const size = template?.spec.pvc?.resources?.requests?.storage ?? claim.spec.resources?.requests?.storage;
    if (size === undefined) continue;
    const labels = [...idOf(vm), claimName, claim.spec.volumeMode ?? '', volume.name];
    yield { labels, value: Number(toBytes(size)) };
  }
}
