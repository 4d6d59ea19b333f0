import { persisted } from '@vireo/api/testing/persisted.ts';
import { vmiWith, vmWith } from '@vireo/extension/testing/vms.ts';
import { describe, expect, it } from 'vitest';
import { similarNames, suggestion } from './findVm.ts';
import { headOf, rowOf } from './list/columns.ts';
import { wholeList } from './list/list.ts';
import { formatSize, pairVms, summarize } from './vmSummary.ts';

const disk = { name: 'root', containerDisk: { image: 'debian:13' } };
const spec = (volumes: object[], domain: object = {}) => ({ domain: { devices: {}, ...domain }, volumes }) as never;
const claim = (name: string, storage: string) =>
  persisted({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, status: { capacity: { storage } } });
const now = new Date('2026-01-01T01:00:00Z');

describe('a summary', () => {
  it('of a VM that runs says what its VMI says', () => {
    const vmi = vmiWith({
      spec: spec([disk], { cpu: { cores: 2, sockets: 2 }, memory: { guest: '1024Mi' } }),
      status: {
        nodeName: 'n1',
        guestOSInfo: { prettyName: 'Debian 13' },
        interfaces: [{ ipAddress: 'fe80::1', ipAddresses: ['fe80::1', 'fd00::2', '10.0.2.2'] }],
        volumeStatus: [{ name: 'root', target: 'vda', size: 3 * 1024 ** 3 }],
      },
    });
    const summary = summarize({ vm: vmWith({ status: { printableStatus: 'Running' } }), vmi });
    expect(summary).toMatchObject({
      kind: 'VirtualMachine',
      state: 'Running',
      addresses: ['10.0.2.2', 'fd00::2'],
      image: 'debian:13',
      cpus: 4,
      memory: '1Gi',
      node: 'n1',
      guestOS: 'Debian 13',
      disks: [{ name: 'root', source: 'debian:13', sizeBytes: 3 * 1024 ** 3, isEphemeral: true }],
    });
    const wide = { allNamespaces: true, wide: true };
    expect(headOf(wide)).toHaveLength(rowOf(summary, wide, now).length);
    expect(rowOf(summary, wide, now)).toEqual([
      'default',
      'web',
      'Running',
      '10.0.2.2',
      'debian:13',
      '4',
      '1Gi',
      '3Gi',
      'n1',
      '60m',
      'Debian 13',
      'fd00::2',
    ]);
  });

  it('of a stopped VM on a claim says what was imported, and how large the claim is', () => {
    const vm = vmWith({
      template: { spec: spec([{ name: 'root', dataVolume: { name: 'web-root' } }]) },
      dataVolumeTemplates: [
        {
          metadata: { name: 'web-root' },
          spec: { source: { registry: { url: 'docker://quay.io/debian:13' } }, storage: {} },
        },
      ] as never,
      status: { printableStatus: 'Stopped' },
    });
    const summary = summarize({ vm }, new Map([['web-root', claim('web-root', '10Gi') as never]]));
    expect(summary).toMatchObject({ state: 'Stopped', addresses: [], image: 'quay.io/debian:13', cpus: 1 });
    expect(summary.disks).toEqual([
      { name: 'root', source: 'quay.io/debian:13', claim: 'web-root', sizeBytes: 10 * 1024 ** 3, isEphemeral: false },
    ]);
    expect(rowOf(summary, { allNamespaces: false, wide: false }, now)).toEqual([
      'web',
      'Stopped',
      '-',
      'quay.io/debian:13',
      '1',
      '-',
      '10Gi',
    ]);
  });

  it('leaves cloud-init disks and CD-ROMs out, and begins with the disk that boots', () => {
    const domain = { devices: { disks: [{ name: 'cd', cdrom: {} }, { name: 'b', bootOrder: 1 }, { name: 'a' }] } };
    const volumes = [
      { name: 'init', cloudInitNoCloud: {} },
      { name: 'cd', persistentVolumeClaim: { claimName: 'iso' } },
      { name: 'a', emptyDisk: { capacity: '1Gi' } },
      { name: 'b', hostDisk: { path: '/disk.img', type: 'Disk' } },
    ];
    const { disks } = summarize({ vmi: vmiWith({ spec: spec(volumes, domain) }) });
    expect(disks.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it.each([
    ['Terminating', { vmi: { ...vmiWith(), metadata: { ...vmiWith().metadata, deletionTimestamp: 'now' } } }],
    ['Paused', { vmi: vmiWith({ conditions: ['Paused'] }) }],
    ['Succeeded', { vmi: vmiWith({ phase: 'Succeeded' }) }],
    ['Pending', { vm: vmWith() }],
  ])('has the state %s', (state, pair) => {
    expect(summarize(pair).state).toBe(state);
  });

  it('pairs VMs with their VMIs, by namespace and name', () => {
    const [vm, vmi] = [vmWith(), vmiWith()];
    const alone = { ...vmi, metadata: { ...vmi.metadata, name: 'alone' } };
    expect(pairVms([vm], [vmi, alone])).toEqual([{ vmi: alone }, { vm, vmi }]);
  });
});

it.each([
  [512, '512'],
  [1024 ** 2 * 64, '64Mi'],
  [1024 ** 3 * 1.5, '1.5Gi'],
  [1024 ** 3 * 1000, '1000Gi'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

it.each([
  [undefined, 'No VMs found in namespace lab. To launch one: vireo launch'],
  ['wide', 'No VMs found in namespace lab. To launch one: vireo launch'],
  ['json', '[]'],
  ['name', ''],
] as const)('an empty list as %s is %j', (output, text) => {
  expect(wholeList([], { ...(output && { output }) }, 'lab')).toBe(text);
});

describe('an unknown name', () => {
  it.each([
    ['wbe', ['web', 'db'], ['web']],
    ['we', ['web-1', 'web-2', 'db'], ['web-1', 'web-2']],
    ['frontend', ['frontent', 'backend'], ['frontent']],
    ['x', ['web'], []],
  ])('%s is near to those of %j that look alike', (name, names, near) => {
    expect(similarNames(name, names)).toEqual(near);
  });

  const known = [
    { name: 'web', namespace: 'lab' },
    { name: 'db', namespace: 'default' },
  ];
  it.each([
    ['web', known, 'It exists in namespace lab: add -n lab'],
    ['dbb', known, 'Did you mean db?'],
    ['cache', known, 'To list VMs: vireo list -n default'],
    ['web', [], 'The namespace has no VMs. To launch one: vireo launch --name web'],
  ])('%s gets a hint', (name, vms, hint) => {
    expect(suggestion(name, 'default', vms)).toBe(hint);
  });
});
