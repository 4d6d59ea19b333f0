import { expect, it } from 'vitest';
import type { KubeObject, Vm } from '../data/kinds.ts';
import type { VmSnapshot } from '../data/snapshotKinds.ts';
import { type Belongings, lossesOf, wordsToType } from './deletion.ts';
import { instanceAlone, machineOf, vmiRow, vmRow } from './machine.ts';

const volumes = [
  { name: 'root', dataVolume: { name: 'web-root' } },
  { name: 'restored', persistentVolumeClaim: { claimName: 'restored' } },
  { name: 'shared', persistentVolumeClaim: { claimName: 'shared' } },
  { name: 'tools', containerDisk: { image: 'tools' } },
  { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
  { name: 'iso', containerDisk: { image: 'iso' } },
];
const spec = { volumes, domain: { devices: { disks: [{ name: 'iso', cdrom: {} }] } } };
const vm: Vm = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u-web' },
  spec: { dataVolumeTemplates: [{ metadata: { name: 'web-root' } }], template: { spec } },
};
const stopped = machineOf(vmRow(vm), undefined);
const vmi = vmiRow({ metadata: { name: 'web', namespace: 'shop', uid: 'u-vmi' }, spec, status: { phase: 'Running' } });
const running = machineOf(vmRow(vm), vmi);
const alone = instanceAlone(vmi);
const owned = { ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'u-web' }] };
const disk = (name: string, more: object = {}): KubeObject => ({ metadata: { name, namespace: 'shop', ...more } });
const snapshot = (name: string, of: string, more: object = {}): VmSnapshot => ({
  metadata: { name, namespace: 'shop', ...more },
  spec: { source: { kind: 'VirtualMachine', name: of } },
});
const NOTHING: Belongings = { disks: [], snapshots: [], troubles: [] };
const FLEETING = 'shop/web (tools, scratch)';

it('disks go that the VM owns, also those of a restore, and all others that it uses stay', () => {
  const disks = [disk('web-root', owned), disk('web-root'), disk('restored', owned), disk('shared'), disk('foreign')];
  expect(lossesOf([stopped], { ...NOTHING, disks })).toMatchObject({
    disksThatGo: ['shop/restored', 'shop/web-root'],
    disksThatStay: ['shop/shared'],
    disksInDoubt: [],
  });
});

it('a disk of a template stays if the VM is no owner of it any more, and one that was never made is not named', () => {
  const kept = lossesOf([stopped], { ...NOTHING, disks: [disk('web-root', { ownerReferences: [] })] });
  expect(kept).toMatchObject({ disksThatGo: [], disksThatStay: ['shop/web-root'] });
  expect(lossesOf([stopped], NOTHING)).toMatchObject({ disksThatGo: [], disksThatStay: [] });
});

it('a disk of another VM that had the name before is not deleted with this one', () => {
  const before = { ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'u-before' }] };
  expect(lossesOf([stopped], { ...NOTHING, disks: [disk('web-root', before)] }).disksThatGo).toEqual([]);
});

it('without the disks, those of templates are taken to go, and what becomes of the others is in doubt', () => {
  const losses = lossesOf([stopped], { disks: undefined, snapshots: undefined });
  expect(losses).toMatchObject({
    disksThatGo: ['shop/web-root'],
    disksThatStay: [],
    disksInDoubt: ['shop/restored', 'shop/shared'],
  });
  expect(wordsToType([stopped], losses)).toBe('web');
});

it('snapshots of the machine stay, unless it owns them', () => {
  const snapshots = [snapshot('b', 'web', owned), snapshot('a', 'web'), snapshot('c', 'db')];
  expect(lossesOf([stopped], { ...NOTHING, snapshots })).toMatchObject({
    snapshotsThatGo: ['shop/b'],
    snapshotsThatStay: ['shop/a'],
  });
});

it('what a running guest wrote to disks without a claim is lost, but not to a disc', () => {
  expect(lossesOf([running], NOTHING).fleeting).toEqual([FLEETING]);
  expect(lossesOf([stopped], NOTHING).fleeting).toEqual([]);
  const losses = lossesOf([alone], NOTHING);
  expect(losses.fleeting).toEqual([FLEETING]);
  expect(losses.disksThatStay).toEqual(['shop/restored', 'shop/shared', 'shop/web-root']);
});

it('the name is typed where something is lost that a stop would keep', () => {
  const ofDisks = lossesOf([stopped], { ...NOTHING, disks: [disk('web-root', owned)] });
  const ofSnapshots = lossesOf([stopped], { ...NOTHING, snapshots: [snapshot('b', 'web', owned)] });
  expect(wordsToType([stopped], ofDisks)).toBe('web');
  expect(wordsToType([stopped, running], ofDisks)).toBe('2 machines');
  expect(wordsToType([stopped], ofSnapshots)).toBe('web');
  expect(wordsToType([stopped], lossesOf([stopped], NOTHING))).toBeUndefined();
  expect(wordsToType([running], lossesOf([running], NOTHING))).toBeUndefined();
  expect(wordsToType([alone], lossesOf([alone], NOTHING))).toBe('web');
});
