import { type FieldError, fieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { formatQuantity, parseQuantity } from '@vireo/api/quantity.ts';
import { omitUndefined } from './fill.ts';
import { guestTopology, unevenSpread } from './topology.ts';

type Spec = VirtualMachineInstanceSpec;
type Type = VirtualMachineInstancetypeSpec;

/** What instance types and preferences are applied to: the spec of a VMI, and its annotations. */
export interface AnnotatedVmiSpec {
  readonly spec: Spec;
  readonly annotations: Readonly<Record<string, string>>;
}

const always = (): true => true;

/** Fields that only one of the two may set: the VM, or its instance type. Processors and memory are always the type's. */
const EXCLUSIVE: readonly (readonly [
  path: string,
  ofSpec: (spec: Spec) => unknown,
  ofType: (type: Type) => unknown,
])[] = [
  ['nodeSelector', ({ nodeSelector }) => nodeSelector, ({ nodeSelector }) => nodeSelector],
  ['schedulerName', ({ schedulerName }) => schedulerName, ({ schedulerName }) => schedulerName],
  ['domain.resources.requests.cpu', ({ domain }) => isSet(domain.resources?.requests?.cpu), always],
  ['domain.resources.limits.cpu', ({ domain }) => isSet(domain.resources?.limits?.cpu), always],
  ['domain.cpu.sockets', ({ domain }) => domain.cpu?.sockets, always],
  ['domain.cpu.cores', ({ domain }) => domain.cpu?.cores, always],
  ['domain.cpu.threads', ({ domain }) => domain.cpu?.threads, always],
  ['domain.cpu.model', ({ domain }) => domain.cpu?.model, ({ cpu }) => cpu.model],
  [
    'domain.cpu.dedicatedCPUPlacement',
    ({ domain }) => domain.cpu?.dedicatedCpuPlacement,
    ({ cpu }) => isSet(cpu.dedicatedCPUPlacement),
  ],
  [
    'domain.cpu.isolateEmulatorThread',
    ({ domain }) => domain.cpu?.isolateEmulatorThread,
    ({ cpu }) => isSet(cpu.isolateEmulatorThread),
  ],
  ['domain.cpu.numa', ({ domain }) => domain.cpu?.numa, ({ cpu }) => cpu.numa],
  ['domain.cpu.realtime', ({ domain }) => domain.cpu?.realtime, ({ cpu }) => cpu.realtime],
  ['domain.memory.guest', ({ domain }) => isSet(domain.memory?.guest), always],
  ['domain.memory.hugepages', ({ domain }) => domain.memory?.hugepages, ({ memory }) => memory.hugepages],
  ['domain.memory.maxGuest', ({ domain }) => isSet(domain.memory?.maxGuest), ({ memory }) => isSet(memory.maxGuest)],
  ['domain.resources.requests.memory', ({ domain }) => isSet(domain.resources?.requests?.memory), always],
  ['domain.resources.limits.memory', ({ domain }) => isSet(domain.resources?.limits?.memory), always],
  ['domain.ioThreadsPolicy', ({ domain }) => domain.ioThreadsPolicy, ({ ioThreadsPolicy }) => ioThreadsPolicy],
  [
    'domain.ioThreads.supplementalPoolThreadCount',
    ({ domain }) => isSet(domain.ioThreads?.supplementalPoolThreadCount),
    ({ ioThreads }) => isSet(ioThreads?.supplementalPoolThreadCount),
  ],
  ['domain.launchSecurity', ({ domain }) => domain.launchSecurity, ({ launchSecurity }) => launchSecurity],
  ['domain.devices.gpus', ({ domain }) => domain.devices.gpus?.length, ({ gpus }) => gpus?.length],
  [
    'domain.devices.hostDevices',
    ({ domain }) => domain.devices.hostDevices?.length,
    ({ hostDevices }) => hostDevices?.length,
  ],
];

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** What the VM and its instance type both set, and processors that cannot be spread. `path`: where the spec stands. */
export function sizeConflicts(
  { spec, annotations }: AnnotatedVmiSpec,
  type: Type,
  preference: VirtualMachinePreferenceSpec | undefined,
  path: string,
): FieldError[] {
  const fields = EXCLUSIVE.filter(([, ofSpec, ofType]) => ofSpec(spec) && ofType(type)).map(
    ([name]) => `${path}.${name}`,
  );
  const differing = Object.entries(type.annotations ?? {}).filter(
    ([key, value]) => Object.hasOwn(annotations, key) && annotations[key] !== value,
  );
  const all = [...fields, ...differing.map(([key]) => `annotations.${key}`)];
  return [
    ...unevenSpread(type, preference),
    ...all.map((field) => fieldError(field, `VM field(s) ${field} conflicts with selected instance type`)),
  ];
}

/** The VM with everything that its instance type gives. There are no conflicts between the two. */
export function withSize(
  { spec, annotations }: AnnotatedVmiSpec,
  type: Type,
  preference: VirtualMachinePreferenceSpec | undefined,
): AnnotatedVmiSpec {
  const { domain } = spec;
  const { cpu, memory } = type;
  const request = memoryRequest(memory);
  return {
    annotations: { ...type.annotations, ...annotations },
    spec: {
      ...spec,
      ...omitUndefined({ nodeSelector: type.nodeSelector, schedulerName: type.schedulerName || undefined }),
      domain: {
        ...domain,
        cpu: {
          ...domain.cpu,
          ...omitUndefined({
            model: cpu.model,
            dedicatedCpuPlacement: cpu.dedicatedCPUPlacement,
            isolateEmulatorThread: cpu.isolateEmulatorThread,
            numa: cpu.numa,
            realtime: cpu.realtime,
            maxSockets: cpu.maxSockets,
          }),
          ...guestTopology(cpu.guest, preference),
        },
        memory: {
          ...domain.memory,
          guest: memory.guest,
          ...omitUndefined({ hugepages: memory.hugepages, maxGuest: memory.maxGuest }),
        },
        ...(request !== undefined && {
          resources: { ...domain.resources, requests: { ...domain.resources?.requests, memory: request } },
        }),
        ...omitUndefined({
          ioThreadsPolicy: type.ioThreadsPolicy,
          ioThreads: isSet(type.ioThreads?.supplementalPoolThreadCount)
            ? { ...domain.ioThreads, ...type.ioThreads }
            : undefined,
          launchSecurity: type.launchSecurity,
        }),
        devices: {
          ...domain.devices,
          ...(type.gpus?.length && { gpus: type.gpus }),
          ...(type.hostDevices?.length && { hostDevices: type.hostDevices }),
        },
      },
    },
  };
}

/** What is set aside on the node where that is less than what the guest sees. */
function memoryRequest({ guest, overcommitPercent = 0 }: Type['memory']): string | undefined {
  if (overcommitPercent <= 0) return undefined;
  const { nano, form } = parseQuantity(guest);
  const bytes = (nano * BigInt(100 - overcommitPercent)) / (100n * NANO);
  return formatQuantity({ nano: bytes * NANO, form });
}

const NANO = 1_000_000_000n;
