import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { D, type Domain, type Rest } from '../testing/specParts.ts';
import { validateVm, validateVmi } from './index.ts';

const plain = clusterConfig(undefined);

/** Those of the hypervisor alone: what kvm would have refused as well is left out. */
function refusals(hypervisor: string, domain: Domain, rest: Rest) {
  const vmi = vmiWith(domain, rest);
  const common = new Set(validateVmi(vmi, plain).map(({ text }) => text));
  return validateVmi(vmi, { ...plain, hypervisor }).filter(({ text }) => !common.has(text));
}

describe('rules of one hypervisor', () => {
  it.each<[hypervisor: string, domain: Domain, rest: Rest, field: string, why: string]>([
    ['mshv', {}, { architecture: 's390x' }, 'spec.architecture', 'hyperv-layered supports amd64 and arm64 only'],
    [
      'hyperv-layered',
      { features: { kvm: { hidden: true } } },
      {},
      'spec.domain.features.kvm',
      'hyperv-layered does not offer KVM’s interfaces',
    ],
    [
      'hyperv-layered',
      { features: { pvspinlock: {} } },
      {},
      'spec.domain.features.pvspinlock',
      'hyperv-layered does not offer KVM’s interfaces',
    ],
    [
      'hyperv-direct',
      { cpu: { model: 'Haswell' } },
      {},
      'spec.domain.cpu.model',
      'hyperv-layered exposes the CPU of the host to guests; use host-passthrough',
    ],
    [
      'hyperv-layered',
      { launchSecurity: { sev: {} } },
      {},
      'spec.domain.launchSecurity',
      'hyperv-layered does not support launch security',
    ],
    [
      'stub',
      { devices: { gpus: [{ name: 'g', deviceName: 'x/y' }] } },
      {},
      `${D}.gpus`,
      'a stub VMI has no guest, so it cannot use host devices',
    ],
    [
      'stub',
      { devices: { hostDevices: [{ name: 'g', deviceName: 'x/y' }] } },
      {},
      `${D}.hostDevices`,
      'a stub VMI has no guest, so it cannot use host devices',
    ],
    [
      'stub',
      { devices: { interfaces: [{ name: 'vf', sriov: {} }] } },
      { networks: [{ name: 'vf', multus: { networkName: 'x' } }] },
      `${D}.interfaces[0].sriov`,
      'a stub VMI has no guest, so it cannot use host devices',
    ],
  ])('%s: %j %j', (hypervisor, domain, rest, field, why) => {
    expect(refusals(hypervisor, domain, rest)).toEqual([
      { type: 'FieldValueNotSupported', field, text: `${field}: ${why}` },
    ]);
  });

  it('are those of its emulator where the cluster emulates', () => {
    const vmi = vmiWith({ features: { kvm: { hidden: true } } });
    expect(validateVmi(vmi, { ...plain, hypervisor: 'hyperv-layered', useEmulation: true })).toEqual([]);
  });

  it('hold for templates too, at the place where they stand', () => {
    const vm = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: {},
      spec: { runStrategy: 'Always', template: { spec: vmiWith({ features: { kvm: {} } }).spec } },
    };
    expect(validateVm(vm, { ...plain, hypervisor: 'mshv' }).map(({ field }) => field)).toEqual([
      'spec.template.spec.domain.features.kvm',
    ]);
  });
});
