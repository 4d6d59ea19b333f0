import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { applyVmDefaults, applyVmiDefaults } from '../defaults/index.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { lost } from '../testing/lost.ts';
import { realVmis } from '../testing/realVmis.ts';
import { validateVm, validateVmi } from './index.ts';

const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };

describe.each(['kvm', 'qemu', 'hyperv-layered', 'stub'])('by %s, VMIs as people write them', (hypervisor) => {
  const config = { ...clusterConfig(undefined), hypervisor };

  it.each(realVmis)('pass untouched: %s', (_title, domain, rest) => {
    const given = vmiWith(domain, rest);
    const vmi = applyVmiDefaults(given, config, sources);
    expect(validateVmi(vmi, config)).toEqual([]);
    expect(lost(given.spec, vmi.spec, 'spec')).toEqual([]);
    const vm = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace: 'default', name: 'vm' },
      spec: { runStrategy: 'Always', template: { spec: given.spec } },
    };
    const defaulted = applyVmDefaults(vm, config, sources);
    expect(validateVm(defaulted, config)).toEqual([]);
    expect(lost(vm.spec, defaulted.spec, 'spec')).toEqual([]);
  });
});
