import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { architectureOf } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import type { Hypervisor } from '../contracts.ts';
import type { TopicOverride } from '../convert/conversion.ts';
import { lockedBytes, pinsMemory } from '../memlock.ts';
import { memoryOverheadBytes } from '../overhead.ts';
import { when } from '../validation/rule.ts';

const devices = [{ device: 'mshv', path: '/dev/mshv' }];

/** Hyper-V shows guests its own interfaces; what QEMU adds to KVM's guests has no place here. */
const withoutKvm: TopicOverride = (conversion, base) =>
  base({ ...conversion, hypervisor: { ...conversion.hypervisor, isAccelerated: false } });

/** Linux as the root partition of Hyper-V: guests beside it, by /dev/mshv. KubeVirt calls it hyperv-direct. */
export const hypervLayered: Hypervisor = {
  name: 'hyperv-layered',
  aliases: ['mshv', 'hyperv-direct'],
  emulator: 'qemu',
  // There are no models to choose from: a guest sees the processor of the host.
  defaults: { '*': { applyVmiSpecDefaults: () => ({ domain: { cpu: { model: 'host-passthrough' } } }) } },
  runtime: {
    deviceRequests: devices,
    memoryOverheadBytes,
    // Locking for its own sake is nothing that this hypervisor does.
    memlockBytes: (vmi, overheadBytes) => (pinsMemory(vmi) ? lockedBytes(vmi, overheadBytes) : undefined),
  },
  converter: {
    domainType: 'hyperv',
    isAccelerated: true,
    overrides: { features: withoutKvm, clock: withoutKvm },
  },
  admission: { validate },
  labeller: { preferredVirtType: 'hyperv', devices },
};

function validate(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[] {
  const { features, cpu, launchSecurity } = spec.domain;
  const architecture = architectureOf(spec, config);
  const refuse = (condition: unknown, field: string, why: string): FieldError[] =>
    when(condition, `${path}.${field}`, `${path}.${field}: ${why}`, 'FieldValueNotSupported');
  return [
    ...refuse(architecture === 's390x', 'architecture', 'hyperv-layered supports amd64 and arm64 only'),
    ...refuse(features?.kvm, 'domain.features.kvm', 'hyperv-layered does not offer KVM’s interfaces'),
    ...refuse(
      features?.pvspinlock && features.pvspinlock.enabled !== false,
      'domain.features.pvspinlock',
      'hyperv-layered does not offer KVM’s interfaces',
    ),
    ...refuse(
      cpu?.model && cpu.model !== 'host-passthrough' && cpu.model !== 'host-model',
      'domain.cpu.model',
      'hyperv-layered exposes the CPU of the host to guests; use host-passthrough',
    ),
    ...refuse(
      launchSecurity && Object.keys(launchSecurity).length > 0,
      'domain.launchSecurity',
      'hyperv-layered does not support launch security',
    ),
  ];
}
