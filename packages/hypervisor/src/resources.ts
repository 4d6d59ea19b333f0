import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { canonicalQuantity, formatQuantity, parseQuantity, type Quantity } from '@vireo/api/quantity.ts';
import { architectureOf } from './architecture.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import type { LauncherResources } from './contracts.ts';
import { dedicatedCpuCount, supplementalThreads } from './dedicatedCpus.ts';
import { DEDICATED_CPUS, deviceRequests } from './devices.ts';
import { bytesOf, readQuantity, vcpuCount } from './domainSpec.ts';
import { resolveRuntime } from './registries.ts';

/** What a namespace adds to its VMIs. */
export interface NamespaceLimits {
  /** A quota counts memory limits: VMIs without one get this many times their request; 2 in KubeVirt. */
  readonly autoMemoryLimitRatio?: number;
  /** A quota counts processor limits, or the cluster asks for them: one processor for each virtual one. */
  readonly autoCpuLimit?: boolean;
}

/** Space on the node for logs and the like. */
const EPHEMERAL_STORAGE = '50M';

/** What the launcher's compute container asks of its node; `offered` are the resources that some node has. */
export function launcherResources(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  namespace: NamespaceLimits = {},
  offered?: ReadonlySet<string>,
): LauncherResources {
  const runtime = resolveRuntime(config.hypervisor, config.useEmulation, architectureOf(vmi.spec, config));
  const overhead = runtime.memoryOverheadBytes(vmi, config);
  const processors = cpuResources(vmi, config, namespace, offered);
  const memory = memoryResources(vmi.spec.domain, config, overhead, namespace);
  const devices = Object.entries(deviceRequests(vmi, config, offered)).map(
    ([name, count]) => [name, String(count)] as const,
  );
  const passedThrough = devices.filter(([name]) => !name.startsWith('devices.kubevirt.io/'));
  const resources: LauncherResources = {
    requests: {
      ...others(vmi.spec.domain, 'requests'),
      ...processors.requests,
      ...memory.requests,
      'ephemeral-storage': ephemeralStorage(vmi.spec.domain, 'requests') ?? EPHEMERAL_STORAGE,
      ...Object.fromEntries(passedThrough),
    },
    limits: {
      ...others(vmi.spec.domain, 'limits'),
      ...processors.limits,
      ...memory.limits,
      ...optional('ephemeral-storage', ephemeralStorage(vmi.spec.domain, 'limits')),
      ...Object.fromEntries(devices),
    },
  };
  return runtime.adjustResources?.(resources, vmi, config) ?? resources;
}

const optional = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value };

const OWN = ['cpu', 'memory', 'ephemeral-storage'];

/** Resources that mean nothing to us are handed on. */
const others = ({ resources }: DomainSpec, kind: 'requests' | 'limits'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(resources?.[kind] ?? {}).flatMap(([name, value]) =>
      OWN.includes(name) || readQuantity(value) === undefined ? [] : [[name, canonicalQuantity(value)]],
    ),
  );

function ephemeralStorage({ resources }: DomainSpec, kind: 'requests' | 'limits'): string | undefined {
  const asked = readQuantity(resources?.[kind]?.['ephemeral-storage']);
  return asked && formatQuantity({ ...asked, nano: asked.nano + parseQuantity(EPHEMERAL_STORAGE).nano });
}

function cpuResources(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  namespace: NamespaceLimits,
  offered?: ReadonlySet<string>,
): LauncherResources {
  const { domain } = vmi.spec;
  const { requests = {}, limits = {} } = domain.resources ?? {};
  const vcpus = vcpuCount(domain);
  if (domain.cpu?.dedicatedCpuPlacement) {
    const total = String(dedicatedCpuCount(vmi));
    // Nodes of an older version do not say how many they have.
    const amounts = { cpu: total, ...optional(DEDICATED_CPUS, offered?.has(DEDICATED_CPUS) ? total : undefined) };
    return { requests: amounts, limits: amounts };
  }
  const asked = readQuantity(requests.cpu);
  const limit = readQuantity(limits.cpu);
  const share = milliText(((vcpus + supplementalThreads(domain)) * 1000) / config.cpuAllocationRatio);
  const automatic = namespace.autoCpuLimit ? String(vcpus) : undefined;
  return {
    requests: { cpu: asked ? formatQuantity(asked) : share },
    limits: optional('cpu', limit ? formatQuantity(limit) : automatic),
  };
}

const milliText = (milli: number): string => canonicalQuantity(`${Math.max(1, Math.trunc(milli))}m`);

function memoryResources(
  domain: DomainSpec,
  config: ClusterConfig,
  overhead: bigint,
  namespace: NamespaceLimits,
): LauncherResources {
  const { requests = {}, limits = {}, overcommitGuestOverhead } = domain.resources ?? {};
  const limit = bytesOf(limits.memory);
  const pageSize = domain.memory?.hugepages?.pageSize;
  if (pageSize) return hugepageResources(domain, pageSize, overhead);
  const requested = bytesOf(requests.memory) ?? limit ?? overcommittedBytes(domain, config.memoryOvercommitPercent);
  const request = requested + (overcommitGuestOverhead ? 0n : overhead);
  const automatic =
    namespace.autoMemoryLimitRatio && BigInt(Math.round(Number(request) * namespace.autoMemoryLimitRatio));
  const given = limit === undefined ? automatic : limit + overhead;
  // Limits that equal the requests: such a pod is the last to be evicted.
  const most = domain.cpu?.dedicatedCpuPlacement ? request : given;
  // The sum is written in the form that the user chose.
  const form = readQuantity(requests.memory ?? limits.memory ?? domain.memory?.guest)?.form;
  return {
    requests: { memory: bytesText(request, form) },
    limits: optional('memory', most ? bytesText(most, form) : undefined),
  };
}

const overcommittedBytes = ({ memory, cpu }: DomainSpec, percent: number): bigint =>
  ((bytesOf(memory?.guest) ?? 0n) * 100n) / (cpu?.dedicatedCpuPlacement ? 100n : BigInt(percent));

/**
 * Huge pages are a resource of their own, as much as the guest sees. Ordinary memory is needed for the overhead, and for
 * what was asked for beyond the guest.
 */
function hugepageResources(domain: DomainSpec, pageSize: string, overhead: bigint): LauncherResources {
  const { requests = {}, limits = {} } = domain.resources ?? {};
  const limit = bytesOf(limits.memory);
  const guest = bytesOf(domain.memory?.guest);
  const asked = bytesOf(requests.memory) ?? limit ?? guest ?? bytesOf(pageSize) ?? 0n;
  const beyond = (bytes: bigint): bigint => (guest !== undefined && bytes > guest ? bytes - guest : 0n);
  const pages = { [`hugepages-${pageSize}`]: bytesText(asked - beyond(asked)) };
  const request = bytesText(beyond(asked) + overhead);
  const given = limit === undefined ? undefined : bytesText(beyond(limit) + overhead);
  const most = domain.cpu?.dedicatedCpuPlacement ? request : given;
  return { requests: { ...pages, memory: request }, limits: { ...pages, ...optional('memory', most) } };
}

const bytesText = (bytes: bigint, form: Quantity['form'] = 'binary'): string =>
  formatQuantity({ nano: bytes * 1_000_000_000n, form });
