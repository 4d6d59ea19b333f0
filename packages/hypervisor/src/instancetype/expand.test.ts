import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { applyInstancetypeToVm, expandVm, preferForVm } from './expand.ts';

const config = clusterConfig(undefined);
const vm = (spec: Partial<VirtualMachine['spec']> = {}): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { instancetype: { name: 'small' }, template: { spec: { domain: { devices: {} } } }, ...spec },
});
const instancetype = { cpu: { guest: 2 }, memory: { guest: '1Gi' }, annotations: { made: 'small' } };

describe('a VMI with its types written out', () => {
  it('keeps its matchers while it is the same VMI', () => {
    const { vm: expanded } = applyInstancetypeToVm(vm(), { instancetype }, config);
    expect(expanded.spec).toMatchObject({
      instancetype: { name: 'small' },
      template: {
        metadata: { annotations: { made: 'small' } },
        spec: { domain: { cpu: { sockets: 2 }, memory: { guest: '1Gi' } } },
      },
    });
  });

  it('is itself when it names none', () => {
    const plain = vm({ instancetype: undefined });
    expect(applyInstancetypeToVm(plain, {}, config).vm).toBe(plain);
    expect(expandVm(plain, {}, config).vm).toBe(plain);
  });

  it('names no types any more when it is expanded for good', () => {
    const { vm: expanded } = expandVm(vm(), { instancetype, preference: { preferredSubdomain: 'x' } }, config);
    expect(expanded.spec).not.toHaveProperty('instancetype');
    expect(expanded.spec).not.toHaveProperty('preference');
    expect(expanded.spec.template.spec).toMatchObject({
      subdomain: 'x',
      domain: { cpu: { sockets: 2, cores: 1, threads: 1, model: 'host-model' }, machine: { type: 'q35' } },
    });
  });

  it('stays as it is when something is in conflict', () => {
    const stubborn = vm({ template: { spec: { domain: { devices: {}, cpu: { cores: 4 } } } } });
    const { vm: same, conflicts } = expandVm(stubborn, { instancetype }, config);
    expect(same).toBe(stubborn);
    expect(conflicts).toMatchObject([{ field: 'spec.template.spec.domain.cpu.cores' }]);
  });
});

describe('what a preference decides at the creation of a VMI', () => {
  const preference = {
    preferredArchitecture: 'arm64',
    machine: { preferredMachineType: 'virt-9' },
    volumes: { preferredStorageClassName: 'fast' },
  };

  it('is the architecture, the machine type and the storage class', () => {
    const dataVolumeTemplates = [
      { metadata: { name: 'a' }, spec: { storage: {} } },
      { metadata: { name: 'b' }, spec: { pvc: {} } },
      { metadata: { name: 'c' }, spec: { storage: { storageClassName: 'slow' } } },
    ];
    const { spec } = preferForVm(vm({ dataVolumeTemplates }), { preference });
    expect(spec.template.spec).toMatchObject({ architecture: 'arm64', domain: { machine: { type: 'virt-9' } } });
    expect(spec.dataVolumeTemplates?.map((each) => each.spec)).toEqual([
      { storage: { storageClassName: 'fast' } },
      { pvc: { storageClassName: 'fast' } },
      { storage: { storageClassName: 'slow' } },
    ]);
  });

  it('is what the VMI says where it says something', () => {
    const template = { spec: { architecture: 'amd64', domain: { devices: {}, machine: { type: 'q35' } } } };
    expect(preferForVm(vm({ template }), { preference }).spec.template).toEqual(template);
  });
});
