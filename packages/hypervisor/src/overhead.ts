import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { architectureOf } from './architecture.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { bytesOf, hasPassthrough, readQuantity, vcpuCount } from './domainSpec.ts';

const KILO = 1000n;
const MIB = 1024n * 1024n;
const GIB = 1024n * MIB;

/** virt-launcher-monitor, virt-launcher, virtlogd, virtqemud and QEMU itself, in KubeVirt's measure. */
const FIXED = (25n + 100n + 25n + 40n + 30n) * MIB;

/**
 * Bytes that a VMI needs beyond its guest's memory. It is KubeVirt's sum, term by term: schedulers, quotas and
 * dashboards that know KubeVirt see the same figures.
 */
export function memoryOverheadBytes({ spec }: VirtualMachineInstance, config: ClusterConfig): bigint {
  const sum = terms(spec, config).reduce((total, term) => total + term, 0n);
  return scaleByRatio(sum, config.additionalGuestMemoryOverheadRatio) + bindingOverhead(spec, config);
}

function terms(spec: VirtualMachineInstanceSpec, config: ClusterConfig): bigint[] {
  const { domain } = spec;
  const { devices = {} } = domain;
  const { launchSecurity } = domain;
  return [
    pageTables(bytesOf(domain.resources?.requests?.memory) ?? 0n),
    FIXED,
    8n * MIB * BigInt(vcpuCount(domain)),
    8n * MIB,
    devices.autoattachGraphicsDevice === false ? 0n : 32n * MIB,
    architectureOf(spec, config) === 'arm64' ? 128n * MIB : 0n,
    hasPassthrough(spec) ? GIB : 0n,
    (spec.volumes ?? []).some((volume) => volume.downwardMetrics) ? MIB : 0n,
    probes(spec),
    launchSecurity?.sev || launchSecurity?.snp ? 256n * MIB : 0n,
    devices.tpm && devices.tpm.enabled !== false ? 53n * MIB : 0n,
    domain.cpu?.dedicatedCpuPlacement || wantsGuaranteed(spec) ? 100n * MIB : 0n,
    config.gates.has('ReservedOverheadMemlock') ? (bytesOf(domain.memory?.reservedOverhead?.addedOverhead) ?? 0n) : 0n,
  ];
}

/** A bit for every 512 bytes of the request, counted in thousands of bytes. */
const pageTables = (requestBytes: bigint): bigint => (kilos(requestBytes) * KILO) / 512n;

const kilos = (bytes: bigint): bigint => (bytes + KILO - 1n) / KILO;

function probes({ livenessProbe, readinessProbe }: VirtualMachineInstanceSpec): bigint {
  const count = [livenessProbe, readinessProbe].filter((probe) => probe?.exec).length;
  return count === 0 ? 0n : (100n + 10n * BigInt(count)) * MIB;
}

/** Requests equal to limits, for processors and memory: such a pod is the last to be evicted. */
function wantsGuaranteed({ domain }: VirtualMachineInstanceSpec): boolean {
  const { requests = {}, limits = {} } = domain.resources ?? {};
  return ['cpu', 'memory'].every((name) => {
    const [request, limit] = [readQuantity(requests[name]), readQuantity(limits[name])];
    return request !== undefined && limit !== undefined && compareQuantities(request, limit) === 0;
  });
}

/** Only the part beyond 1 is multiplied, in whole thousands of bytes. */
function scaleByRatio(bytes: bigint, ratio: string | undefined): bigint {
  const factor = Number(ratio || '1');
  if (!Number.isFinite(factor) || factor < 0) return bytes;
  return bytes + BigInt(Math.trunc(Number(kilos(bytes)) * (factor - 1))) * KILO;
}

/** What plug-ins for network bindings ask for, once each. */
function bindingOverhead({ domain }: VirtualMachineInstanceSpec, config: ClusterConfig): bigint {
  const used = new Set((domain.devices?.interfaces ?? []).flatMap(({ binding }) => binding?.name ?? []));
  return [...used].reduce((total, name) => {
    const plugin = Object.hasOwn(config.network.bindings, name) ? config.network.bindings[name] : undefined;
    return total + (bytesOf(plugin?.computeResourceOverhead?.requests?.memory) ?? 0n);
  }, 0n);
}
