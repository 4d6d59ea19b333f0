import { expect, it } from 'vitest';
import type { Vm, Vmi } from '../data/kinds.ts';
import { machinesFrom, vmiRow, vmRow } from './machine.ts';

const web: Vm = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'of-vm',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
  },
  spec: {
    dataVolumeTemplates: [{ metadata: { name: 'web-root' } }],
    template: {
      spec: {
        domain: { cpu: { cores: 2, sockets: 2 }, memory: { guest: '1Gi' } },
        volumes: [
          { name: 'root', dataVolume: { name: 'web-root' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'shared' } },
          { name: 'tools', containerDisk: { image: 'tools' } },
        ],
      },
    },
  },
  status: { printableStatus: 'Running', conditions: [{ type: 'RestartRequired', status: 'True' }] },
};
const instance: Vmi = {
  metadata: { name: 'web', namespace: 'shop', uid: 'of-instance' },
  spec: { domain: { cpu: { cores: 2, sockets: 2 } } },
  status: {
    phase: 'Running',
    nodeName: 'n1',
    interfaces: [{ ipAddress: '10.0.0.2', ipAddresses: ['10.0.0.2', 'fd00::2'] }, {}],
    currentCPUTopology: { cores: 8 },
    memory: { guestCurrent: '2Gi' },
  },
};

it('a VM and its instance are one machine, and what runs counts', () => {
  expect(machinesFrom([vmRow(web)], [vmiRow(instance)])).toEqual([
    {
      key: 'shop/web',
      namespace: 'shop',
      name: 'web',
      uid: 'of-vm',
      createdAt: '2026-01-01T00:00:00Z',
      labels: { app: 'web' },
      state: { group: 'running', label: 'Running', word: 'Running' },
      isDeleting: false,
      needsRestart: true,
      cpus: 8,
      memoryBytes: 2 ** 31,
      addresses: ['10.0.0.2', 'fd00::2'],
      node: 'n1',
      move: undefined,
      guestOs: undefined,
      isVm: true,
      hasInstance: true,
      ownDisks: ['web-root'],
      otherDisks: ['shared'],
      fleetingDisks: ['tools'],
    },
  ]);
});

it('a VM that is stopped has the size of its template, and one with an instance type none that is known', () => {
  expect(machinesFrom([vmRow(web)], [])[0]).toMatchObject({
    cpus: 4,
    memoryBytes: 2 ** 30,
    node: undefined,
    hasInstance: false,
  });
  const sized = vmRow({ ...web, spec: { ...web.spec, instancetype: { name: 'small' } } });
  expect(sized).toMatchObject({ cpus: undefined, memoryBytes: undefined });
});

it.each<[string, boolean | undefined, boolean | undefined]>([
  ['Running', true, true],
  ['Running', undefined, true],
  ['Migrating', undefined, true],
  ['Stopped', undefined, false],
  ['Stopped', false, false],
  ['Starting', undefined, undefined],
  ['CrashLoopBackOff', undefined, undefined],
])('a VM that is %s and reports created %s has an instance: %s, if instances cannot be read', (word, created, has) => {
  const row = vmRow({ ...web, status: { printableStatus: word, ...(created !== undefined && { created }) } });
  expect(machinesFrom([row], [], false)[0]?.hasInstance).toBe(has);
  expect(machinesFrom([row], [])[0]?.hasInstance).toBe(false);
});

it('an instance without a VM is a machine that is no VM', () => {
  const [alone] = machinesFrom(
    [],
    [vmiRow({ ...instance, metadata: { name: 'one', namespace: 'shop', uid: 'u-1', deletionTimestamp: 'now' } })],
  );
  expect(alone).toMatchObject({ uid: 'u-1', isVm: false, isDeleting: true, state: { word: 'Terminating' } });
});
