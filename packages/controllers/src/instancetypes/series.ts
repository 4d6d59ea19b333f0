import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import { VirtualMachineClusterInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';

/** Processors and memory of one size. */
type Size = readonly [cpu: number, memory: string];

interface Series {
  readonly title: string;
  readonly class: string;
  readonly description: string;
  readonly sizes: Readonly<Record<string, Size>>;
  /** What all sizes have in common. */
  readonly cpu?: Partial<VirtualMachineInstancetypeSpec['cpu']>;
  readonly memory?: Partial<VirtualMachineInstancetypeSpec['memory']>;
  readonly ioThreadsPolicy?: string;
}

const LARGE: Readonly<Record<string, Size>> = {
  large: [2, '8Gi'],
  xlarge: [4, '16Gi'],
  '2xlarge': [8, '32Gi'],
  '4xlarge': [16, '64Gi'],
  '8xlarge': [32, '128Gi'],
};
const GENERAL: Readonly<Record<string, Size>> = {
  nano: [1, '512Mi'],
  micro: [1, '1Gi'],
  small: [1, '2Gi'],
  medium: [1, '4Gi'],
  ...LARGE,
};
const { nano: _, ...FROM_MICRO } = GENERAL;

/** Names and sizes are those that KubeVirt's tools know: a manifest means the same VM here and there. */
const SERIES: Readonly<Record<string, Series>> = {
  u1: {
    title: 'General Purpose',
    class: 'general.purpose',
    description: 'Universal: for workloads without special needs. CPUs are shared with other VMs.',
    sizes: { ...GENERAL, '2xmedium': [2, '4Gi'] },
  },
  o1: {
    title: 'Overcommitted',
    class: 'overcommitted',
    description:
      'Like U, but only half of the memory is reserved on the node: fits more VMs, as long as they do not use all their memory.',
    sizes: GENERAL,
    memory: { overcommitPercent: 50 },
  },
  cx1: {
    title: 'Compute Exclusive',
    class: 'compute.exclusive',
    description: 'Dedicated CPUs in the node’s topology, huge pages, and an additional CPU for the emulator.',
    sizes: {
      medium: [1, '2Gi'],
      large: [2, '4Gi'],
      xlarge: [4, '8Gi'],
      '2xlarge': [8, '16Gi'],
      '4xlarge': [16, '32Gi'],
      '8xlarge': [32, '64Gi'],
    },
    cpu: { dedicatedCPUPlacement: true, isolateEmulatorThread: true, numa: { guestMappingPassthrough: {} } },
    memory: { hugepages: { pageSize: '2Mi' } },
    ioThreadsPolicy: 'auto',
  },
  m1: {
    title: 'Memory Intensive',
    class: 'memory.intensive',
    description: 'More memory per CPU, on huge pages.',
    sizes: {
      large: [2, '16Gi'],
      xlarge: [4, '32Gi'],
      '2xlarge': [8, '64Gi'],
      '4xlarge': [16, '128Gi'],
      '8xlarge': [32, '256Gi'],
    },
    memory: { hugepages: { pageSize: '2Mi' } },
  },
  n1: {
    title: 'Network',
    class: 'network',
    description: 'For high packet rates (DPDK): dedicated CPUs and 1Gi huge pages.',
    sizes: {
      medium: [4, '4Gi'],
      large: [4, '8Gi'],
      xlarge: [8, '16Gi'],
      '2xlarge': [16, '32Gi'],
      '4xlarge': [32, '64Gi'],
      '8xlarge': [64, '128Gi'],
    },
    cpu: { dedicatedCPUPlacement: true, isolateEmulatorThread: true },
    memory: { hugepages: { pageSize: '1Gi' } },
  },
  rt1: {
    title: 'Realtime',
    class: 'realtime',
    description:
      'For real-time workloads: tuned, dedicated CPUs and 1Gi huge pages. Needs a node that is set up for real time.',
    sizes: FROM_MICRO,
    cpu: {
      dedicatedCPUPlacement: true,
      isolateEmulatorThread: true,
      numa: { guestMappingPassthrough: {} },
      realtime: {},
    },
    memory: { hugepages: { pageSize: '1Gi' } },
  },
};

const DOMAIN = 'instancetype.kubevirt.io';

/** The instance types that every installation has. */
export const clusterInstancetypes = (): VirtualMachineClusterInstancetype[] =>
  Object.entries(SERIES).flatMap(([name, series]) =>
    Object.entries(series.sizes).map(([size, given]) => instancetype(name, series, size, given)),
  );

function instancetype(
  name: string,
  series: Series,
  size: string,
  [guest, memory]: Size,
): VirtualMachineClusterInstancetype {
  const spec = {
    cpu: { ...series.cpu, guest },
    memory: { ...series.memory, guest: memory },
    ...(series.ioThreadsPolicy && { ioThreadsPolicy: series.ioThreadsPolicy }),
  };
  return {
    apiVersion: `${VirtualMachineClusterInstancetype.group}/${VirtualMachineClusterInstancetype.version}`,
    kind: VirtualMachineClusterInstancetype.kind,
    metadata: {
      name: `${name}.${size}`,
      annotations: { [`${DOMAIN}/description`]: series.description, [`${DOMAIN}/displayName`]: series.title },
      labels: {
        [`${DOMAIN}/vendor`]: 'kubevirt.io',
        [`${DOMAIN}/class`]: series.class,
        [`${DOMAIN}/version`]: '1',
        [`${DOMAIN}/size`]: size,
        [`${DOMAIN}/cpu`]: String(guest),
        [`${DOMAIN}/memory`]: memory,
        ...special(spec),
      },
    },
    spec,
  };
}

/** Labels by which VMs with special needs are found. */
function special({ cpu, memory }: VirtualMachineInstancetypeSpec): Record<string, string> {
  const has = {
    dedicatedCPUPlacement: cpu.dedicatedCPUPlacement,
    isolateEmulatorThread: cpu.isolateEmulatorThread,
    numa: cpu.numa,
    realtime: cpu.realtime,
    hugepages: memory.hugepages,
  };
  const given = Object.entries(has).filter(([, value]) => value);
  return Object.fromEntries(given.map(([name]) => [`${DOMAIN}/${name}`, 'true']));
}
