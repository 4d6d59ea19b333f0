import { type ConditionDraft, conditionOf } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import {
  HOT_MEMORY_CHANGE,
  HOT_VCPU_CHANGE,
  MEMORY_HOTPLUG_FAILED,
  RELEASED,
} from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { addQuantities, formatQuantity, parseQuantity, type Quantity } from '@vireo/api/quantity.ts';
import { architectureOf, type ClusterConfig, memoryHotplugProblem } from '@vireo/hypervisor';
import { bytesOf, topologyOf, vcpusOf } from '@vireo/hypervisor/domainSpec.ts';
import type { MergePatch } from '@vireo/kube';

type Spec = Vmi['spec'];

/** What becomes of CPUs and memory of a running VMI that its VM wants otherwise by now. */
export interface SizeDecision {
  /** Hands the change on to the VMI, whose node carries it out. */
  readonly patch?: MergePatch;
  /** Why a restart is needed for it. */
  readonly restart?: string;
  /** Why it cannot be made now. */
  readonly failure?: ConditionDraft;
}

/** One of the two changes, before they are put together. */
type Change =
  | { readonly action: 'none' }
  | { readonly action: 'restart' | 'fail'; readonly message: string }
  /** `isDone`: the guest has it so already, because a change that was not made is taken back. */
  | { readonly action: 'patch'; readonly domain: Partial<Spec['domain']>; readonly isDone: boolean };

const NONE: Change = { action: 'none' };

/** Decides about the CPUs and the memory of a running VMI; all else that has changed needs no restart. */
export function decideSize(vm: Vm['spec'], vmi: Vmi, config: ClusterConfig, now: Date): SizeDecision {
  const wanted = vm.template.spec;
  if (!wanted || !isRunning(vmi) || config.rolloutStrategy !== 'LiveUpdate') return {};
  const changes = [
    [HOT_VCPU_CHANGE, 'HotPlugCPUError', changedCpus(wanted, vmi, config)],
    [HOT_MEMORY_CHANGE, 'HotPlugMemoryError', changedMemory(wanted, vmi, config)],
  ] as const;
  for (const [, , change] of changes) if (change.action === 'restart') return { restart: change.message };
  for (const [, reason, change] of changes)
    if (change.action === 'fail')
      return { failure: { type: 'Failure', status: 'True', reason, message: change.message } };
  const patches = changes.flatMap(([type, , change]) => (change.action === 'patch' ? [{ type, ...change }] : []));
  if (patches.length === 0) return {};
  // What the launcher was given for a change that is taken back goes as well.
  const begun = patches.map(({ type, isDone }) => ({ type, status: 'True', reason: isDone ? RELEASED : undefined }));
  return {
    patch: {
      spec: { domain: merged(patches.map(({ domain }) => domain)) },
      status: { conditions: setConditions(vmi.status?.conditions, begun, now) },
    },
  };
}

/** Both changes may raise requests and limits. */
const merged = (domains: readonly Partial<Spec['domain']>[]): object => {
  const part = (kind: 'requests' | 'limits') => Object.assign({}, ...domains.map(({ resources }) => resources?.[kind]));
  return { ...Object.assign({}, ...domains), resources: { requests: part('requests'), limits: part('limits') } };
};

function changedCpus(wanted: Spec, vmi: Vmi, config: ClusterConfig): Change {
  const { cpu = {} } = vmi.spec.domain;
  const given = wanted.domain.cpu;
  // A VM that says nothing of its CPUs has as many as it requests; those are changed by a restart.
  if (!given?.sockets && !given?.cores && !given?.threads) return NONE;
  const { sockets } = topologyOf(given);
  const before = topologyOf(cpu);
  if (sockets === before.sockets) return NONE;
  const current = vmi.status?.currentCPUTopology?.sockets ?? before.sockets;
  if (architectureOf(vmi.spec, config) === 'arm64') return restart("ARM doesn't support CPU hotplug");
  if (sockets > (cpu.maxSockets ?? before.sockets))
    return restart("CPU sockets updated in template spec to a value higher than what's available");
  if (sockets < current) return restart('Reduction of CPU socket count requires a restart');
  if (cpu.dedicatedCpuPlacement) return restart('CPU sockets with dedicated CPUs are changed by a restart');
  if (isHandedOff(vmi)) return fail('CPU hotplug is not allowed while VMI is migrating');
  const delta = vcpusOf({ ...before, sockets }) - vcpusOf(before);
  const resources = raised(wanted, vmi.spec, 'cpu', parseQuantity(delta));
  return { action: 'patch', domain: { cpu: { sockets }, resources }, isDone: sockets === current };
}

const UPDATED = 'memory updated in template spec';

function changedMemory(wanted: Spec, vmi: Vmi, config: ClusterConfig): Change {
  const { domain } = vmi.spec;
  const guest = wanted.domain.memory?.guest;
  const [bytes, before] = [bytesOf(guest), bytesOf(domain.memory?.guest)];
  if (guest === undefined || bytes === undefined || before === undefined || bytes === before) return NONE;
  const { guestAtBoot, guestRequested } = vmi.status?.memory ?? {};
  const isDone = bytes === (bytesOf(guestRequested) ?? before);
  const most = bytesOf(domain.memory?.maxGuest);
  const hasFailed = conditionOf(vmi, HOT_MEMORY_CHANGE)?.reason === MEMORY_HOTPLUG_FAILED;
  if (hasFailed && !isDone)
    return restart(`${UPDATED}. Memory-hotplug failed and is not available for this VM configuration`);
  if (most === undefined || domain.devices?.disableHotplug)
    return restart(`${UPDATED}. Memory-hotplug is not available for this VM configuration`);
  if (bytes < (bytesOf(guestAtBoot) ?? before))
    return restart(`${UPDATED} to a value lower than what the VM started with`);
  if (bytes > most) return restart(`${UPDATED} to a value higher than what's available`);
  const problem = memoryHotplugProblem(
    { ...vmi.spec, domain: { ...domain, memory: { ...domain.memory, guest } } },
    config,
  );
  if (problem) return restart(`memory hotplug not supported, ${problem}`);
  if (isHandedOff(vmi)) return fail('memory hotplug is not allowed while VMI is migrating');
  const delta: Quantity = { nano: (bytes - before) * NANO, form: 'binary' };
  return {
    action: 'patch',
    domain: { memory: { guest }, resources: raised(wanted, vmi.spec, 'memory', delta) },
    isDone,
  };
}

const NANO = 1_000_000_000n;

const restart = (message: string): Change => ({ action: 'restart', message });
const fail = (message: string): Change => ({ action: 'fail', message });

/** Requests and limits that the template has follow what the guest gets. */
function raised(wanted: Spec, { domain }: Spec, name: 'cpu' | 'memory', delta: Quantity): Spec['domain']['resources'] {
  const part = (kind: 'requests' | 'limits'): Record<string, string> => {
    const amount = domain.resources?.[kind]?.[name];
    const isGiven = wanted.domain.resources?.[kind]?.[name] !== undefined;
    return isGiven && amount !== undefined ? { [name]: formatQuantity(addQuantities(amount, delta)) } : {};
  };
  return { requests: part('requests'), limits: part('limits') };
}

/** A spec without what can be changed while the guest runs. */
export function withoutSize<T extends Partial<Spec>>(spec: T): T {
  const { domain } = spec;
  if (!domain) return spec;
  const { cpu, memory, ...rest } = domain;
  const { sockets: _, ...otherCpu } = cpu ?? {};
  const { guest: __, ...otherMemory } = memory ?? {};
  return {
    ...spec,
    domain: {
      ...rest,
      ...(Object.keys(otherCpu).length > 0 && { cpu: otherCpu }),
      ...(Object.keys(otherMemory).length > 0 && { memory: otherMemory }),
    },
  };
}
