import type { FieldError } from '@vireo/api';
import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import { architectureOf } from '../architecture.ts';
import { topologyOf, vcpuCount, vcpusOf } from '../domainSpec.ts';
import { parseCpuList } from '../hostTopology.ts';
import { amount, type Rule, type Subject, when } from './rule.ts';

const POLICIES = ['', 'force', 'require', 'optional', 'disable', 'forbid'];
const NANO = 1_000_000_000n;

export const cpu: Rule = (subject) => [
  ...counts(subject),
  ...amounts(subject),
  ...dedicatedCpuErrors(subject),
  ...numa(subject),
  ...isolation(subject),
  ...features(subject),
  ...sockets(subject),
  ...startStrategy(subject),
  ...realtime(subject),
];

/** The largest number that KubeVirt's own fields can hold. */
const MOST = 2 ** 32 - 1;

function counts({ spec, path }: Subject): FieldError[] {
  return (['cores', 'sockets', 'threads', 'maxSockets'] as const).flatMap((name) => {
    const count = spec.domain.cpu?.[name] ?? 0;
    const field = `${path}.domain.cpu.${name}`;
    return when(count < 0 || count > MOST, field, `${field} '${count}': must be between 0 and ${MOST}.`);
  });
}

function amounts(subject: Subject): FieldError[] {
  const [request, limit] = [amount(subject, 'requests', 'cpu'), amount(subject, 'limits', 'cpu')];
  const [asked, most] = [request.value?.nano ?? 0n, limit.value?.nano ?? 0n];
  return [
    ...when(asked < 0n, request.field, `${request.field} '${request.text}': must be greater than or equal to 0.`),
    ...when(most < 0n, limit.field, `${limit.field} '${limit.text}': must be greater than or equal to 0.`),
    ...when(
      most > 0n && asked > most,
      request.field,
      `${request.field} '${request.text}' is greater than ${limit.field} '${limit.text}'`,
    ),
  ];
}

/** Whole processors, given one way, and memory that is set aside in full. */
function dedicatedCpuErrors(subject: Subject): FieldError[] {
  const { spec, path } = subject;
  const given = spec.domain.cpu;
  if (!given?.dedicatedCpuPlacement) return [];
  const [request, limit] = [amount(subject, 'requests', 'cpu'), amount(subject, 'limits', 'cpu')];
  const [memory, memoryLimit] = [amount(subject, 'requests', 'memory'), amount(subject, 'limits', 'memory')];
  const [asked, most] = [request.value?.nano ?? 0n, limit.value?.nano ?? 0n];
  const vcpus = given.sockets || given.cores || given.threads ? BigInt(vcpusOf(topologyOf(given))) * NANO : 0n;
  const field = `${path}.domain.cpu.dedicatedCpuPlacement`;
  const cores = `${path}.domain.cpu.cores`;
  const [memoryAsked, memoryMost] = [memory.value?.nano ?? 0n, memoryLimit.value?.nano ?? 0n];
  return [
    ...when(
      !memoryAsked && !memoryMost && !spec.domain.memory?.hugepages && !spec.domain.memory?.guest,
      memoryLimit.field,
      `${memory.field}, ${memoryLimit.field}, ${path}.domain.memory.hugepages or ${path}.domain.memory.guest should be provided`,
    ),
    ...when(asked % NANO, request.field, 'provided resources CPU requests must be an interger'),
    ...when(most % NANO, limit.field, 'provided resources CPU limits must be an interger'),
    ...when(
      memoryAsked && memoryMost && memoryAsked !== memoryMost,
      memory.field,
      `${memory.field} must be equal to ${memoryLimit.field}`,
    ),
    ...when(
      !asked && !most && !vcpus,
      field,
      `either ${request.field} or ${limit.field} or ${cores} must be provided when DedicatedCPUPlacement is true `,
    ),
    ...when(
      asked && most && asked !== most,
      field,
      `${request.field} or ${limit.field} must be equal when DedicatedCPUPlacement is true `,
    ),
    ...when(
      (asked || most) && vcpus && asked !== vcpus && most !== vcpus,
      field,
      `${request.field} or ${limit.field} must not be provided at the same time with ${cores} when DedicatedCPUPlacement is true `,
    ),
    ...threads(subject, field),
  ];
}

function threads({ spec, path, config }: Subject, field: string): FieldError[] {
  const count = spec.domain.cpu?.threads ?? 1;
  const name = `${path}.domain.cpu.threads`;
  return [
    ...when(
      count > 1 && architectureOf(spec, config) === 'arm64',
      `${path}.architecture`,
      `threads must not be greater than 1 at ${name} (got ${count}) when ${path}.architecture is arm64`,
    ),
    ...when(
      count > 2,
      field,
      `Not more than two threads must be provided at ${name} (got ${count}) when DedicatedCPUPlacement is true`,
    ),
  ];
}

function numa({ spec, path }: Subject): FieldError[] {
  if (!spec.domain.cpu?.numa?.guestMappingPassthrough) return [];
  const field = `${path}.domain.cpu.numa.guestMappingPassthrough`;
  return [
    ...when(
      !spec.domain.cpu.dedicatedCpuPlacement,
      field,
      `${path}.domain.cpu.dedicatedCpuPlacement must be set to true when NUMA topology strategy is set in ${field}`,
    ),
    ...when(
      !spec.domain.memory?.hugepages,
      field,
      `${path}.domain.memory.hugepages must be requested when NUMA topology strategy is set in ${field}`,
    ),
  ];
}

const isolation = ({ spec, path }: Subject): FieldError[] =>
  when(
    spec.domain.cpu?.isolateEmulatorThread && !spec.domain.cpu.dedicatedCpuPlacement,
    `${path}.domain.cpu.isolateEmulatorThread`,
    'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
  );

const features = ({ spec, path }: Subject): FieldError[] =>
  (spec.domain.cpu?.features ?? []).flatMap(({ name, policy = '' }, index) =>
    when(
      !POLICIES.includes(policy),
      `${path}.domain.cpu.features[${index}].policy`,
      `CPU feature ${name} uses policy ${policy} that is not supported.`,
      'FieldValueNotSupported',
    ),
  );

function sockets({ spec, path }: Subject): FieldError[] {
  const { sockets: count, maxSockets } = spec.domain.cpu ?? {};
  return when(
    maxSockets && count && count > maxSockets,
    `${path}.domain.cpu.sockets`,
    'Number of sockets in CPU topology is greater than the maximum sockets allowed',
  );
}

function startStrategy({ spec, path }: Subject): FieldError[] {
  if (spec.startStrategy === undefined) return [];
  const field = `${path}.startStrategy`;
  if (spec.startStrategy !== 'Paused') {
    return when(true, field, `${field} is set with an unrecognized option: ${spec.startStrategy}`);
  }
  return when(
    spec.livenessProbe,
    field,
    `either ${field} or ${path}.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported`,
  );
}

/** The guest would fail at every start. */
function realtimeMask(domain: DomainSpec, field: string): FieldError[] {
  const mask = domain.cpu?.realtime?.mask;
  const last = vcpuCount(domain) - 1;
  const vcpus = mask ? parseCpuList(mask) : [0];
  const isValid = vcpus !== undefined && vcpus.length > 0 && vcpus.every((vcpu) => vcpu <= last);
  return when(!isValid, field, `${field} '${mask}' must name vCPUs from 0 to ${last}, such as 0-${last}`);
}

function realtime({ spec, path }: Subject): FieldError[] {
  const { cpu: given } = spec.domain;
  if (!given?.realtime) return [];
  const [pinning, layout] = [
    `${path}.domain.cpu.dedicatedCpuPlacement`,
    `${path}.domain.cpu.numa.guestMappingPassthrough`,
  ];
  const user = `${path}.domain.cpu.realtime`;
  return [
    ...when(
      !given.dedicatedCpuPlacement,
      pinning,
      `${pinning} must be set to true when ${user} is used`,
      'FieldValueRequired',
    ),
    ...when(
      !given.numa?.guestMappingPassthrough,
      layout,
      `${layout} must be defined when ${user} is used`,
      'FieldValueRequired',
    ),
    ...realtimeMask(spec.domain, `${user}.mask`),
  ];
}
