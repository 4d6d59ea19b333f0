import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import type { DomainView } from './domainView.ts';
import { isGrowing, sizeConditions, sizePlan, sizeStatus } from './size.ts';

const MIB = 1024 * 1024;
const bare = { machineType: undefined, diskTargets: {}, drives: {}, interfaces: {}, isAgentConnected: false };
const view = (vcpuCount: number, requestedMib = 0, currentMib = requestedMib): DomainView => ({
  ...bare,
  vcpuCount,
  ...(requestedMib + currentMib > 0 && {
    memory: { requestedBytes: requestedMib * MIB, currentBytes: currentMib * MIB },
  }),
});

/** A VMI that was started with a socket of two cores and 1 GiB. */
const vmi = (sockets: number, guest: string, reason?: string, status: VmiStatus = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { domain: { devices: {}, cpu: { sockets, cores: 2, threads: 1 }, memory: { guest } } },
  status: {
    memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
    currentCPUTopology: { sockets: 1, cores: 2, threads: 1 },
    ...(reason !== undefined && {
      conditions: ['HotVCPUChange', 'HotMemoryChange'].map((type) => ({ type, status: 'True', reason })),
    }),
    ...status,
  },
});

describe('what a guest is to have', () => {
  it.each([
    ['as many CPUs and as much memory as it has', vmi(1, '1Gi'), view(2), {}],
    [
      'more, once its launcher requests it',
      vmi(3, '1152Mi', 'LauncherResized'),
      view(2),
      { vcpus: 6, pluggedBytes: 128 * MIB },
    ],
    ['nothing before that', vmi(3, '1152Mi', ''), view(2), {}],
    ['nothing that its launcher may not request', vmi(3, '1152Mi', 'LauncherResizeRefused'), view(2), {}],
    ['more when its node has room, or another node', vmi(3, '1Gi', 'InsufficientNodeResources'), view(2), { vcpus: 6 }],
    ['less memory, which takes nobody’s consent', vmi(1, '1Gi'), view(2, 128), { pluggedBytes: 0 }],
    ['never fewer CPUs', vmi(1, '1Gi', 'LauncherResized'), view(6), {}],
  ])('is %s', (_, of, domain, plan) => {
    expect(sizePlan(of, domain)).toEqual(plan);
  });

  it('takes room where it is more than before', () => {
    expect(isGrowing({ vcpus: 4 }, view(2))).toBe(true);
    expect(isGrowing({ pluggedBytes: 256 * MIB }, view(2, 128))).toBe(true);
    expect(isGrowing({ pluggedBytes: 0 }, view(2, 128))).toBe(false);
  });
});

describe('a VMI says', () => {
  const said = (of: ReturnType<typeof vmi>, domain: DomainView) =>
    Object.values(sizeConditions(of, domain)).map((each) => each?.reason);

  it('how far a change is, and nothing of one that is made', () => {
    expect(said(vmi(3, '2Gi', 'LauncherResized'), view(2))).toEqual(['LauncherResized', 'LauncherResized']);
    expect(said(vmi(3, '2Gi', 'LauncherResized'), view(6, 1024))).toEqual([undefined, undefined]);
  });

  it('that the guest still uses memory that it should give back, and that it does not any more', () => {
    expect(said(vmi(1, '1Gi', 'LauncherResized'), view(2, 0, 64))[1]).toBe('MemoryInUse');
    expect(said(vmi(1, '1Gi', 'MemoryInUse'), view(2))[1]).toBe('Released');
  });

  it('what the guest has', () => {
    expect(sizeStatus(vmi(3, '1152Mi'), view(6, 128, 64))).toEqual({
      currentCPUTopology: { sockets: 3, cores: 2, threads: 1 },
      memory: { guestAtBoot: '1Gi', guestCurrent: '1088Mi', guestRequested: '1152Mi' },
    });
    expect(sizeStatus(vmi(1, '1Gi'), bare).memory).toEqual(vmi(1, '1Gi').status.memory);
  });
});
