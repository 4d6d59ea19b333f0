import { describe, expect, it } from 'vitest';
import { resolveRuntime } from './registries.ts';
import { vmiWith } from './testing/fixtures.ts';
import type { Domain } from './testing/specParts.ts';

const MIB = 1024n ** 2n;
const locked = (hypervisor: string, domain: Domain): bigint | undefined =>
  resolveRuntime(hypervisor, false).memlockBytes(vmiWith(domain), 268n * MIB);

describe('memory that may be locked', () => {
  it.each<[title: string, domain: Domain, kvm: boolean, hyperv: boolean]>([
    ['an ordinary VMI locks none', {}, false, false],
    ['a device of the node', { devices: { gpus: [{ name: 'g', deviceName: 'x/y' }] } }, true, true],
    ['SR-IOV', { devices: { interfaces: [{ name: 'vf', sriov: {} }] } }, true, true],
    ['real time', { cpu: { realtime: {} } }, true, true],
    ['a guest protected from its host', { launchSecurity: { snp: {} } }, true, true],
    [
      'locking for its own sake',
      { memory: { guest: '128Mi', reservedOverhead: { memLock: 'Required' } } },
      true,
      false,
    ],
    [
      'locking that is not required',
      { memory: { guest: '128Mi', reservedOverhead: { memLock: 'NotRequired' } } },
      false,
      false,
    ],
  ])('%s', (_title, domain, kvm, hyperv) => {
    const all = (128n + 268n) * MIB;
    expect(locked('kvm', domain)).toBe(kvm ? all : undefined);
    expect(locked('qemu', domain)).toBe(kvm ? all : undefined);
    expect(locked('hyperv-layered', domain)).toBe(hyperv ? all : undefined);
    expect(locked('stub', domain)).toBeUndefined();
  });
});
