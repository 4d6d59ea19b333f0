import { expect, it } from 'vitest';
import type { Vm } from '../../data/kinds.ts';
import { machineOf, vmiRow, vmRow } from '../machine.ts';
import { changePermission, eject, insert, plugIn, unplug } from './changes.ts';

const vm: Vm = {
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    template: {
      spec: {
        domain: {
          devices: {
            disks: [
              { name: 'root', disk: {} },
              { name: 'cdrom', cdrom: {} },
            ],
          },
        },
        volumes: [{ name: 'root' }, { name: 'cdrom', persistentVolumeClaim: { claimName: 'one', hotpluggable: true } }],
      },
    },
  },
};
const off = machineOf(vmRow(vm), undefined);
const running = machineOf(vmRow(vm), vmiRow({ metadata: vm.metadata, spec: {}, status: { phase: 'Running' } }));
const action = '/apis/subresources.kubevirt.io/v1/namespaces/shop/virtualmachines/web';
const claim = { kind: 'claim', name: 'two' } as const;

it('a machine that runs is changed by actions', () => {
  expect(insert(running, vm, 'cdrom', claim, { replace: true, force: true })).toEqual({
    method: 'PUT',
    path: `${action}/addvolume`,
    body: {
      name: 'cdrom',
      volumeSource: { persistentVolumeClaim: { claimName: 'two', hotpluggable: true } },
      replace: true,
      force: true,
    },
  });
  expect(eject(running, vm, 'cdrom', false)).toMatchObject({ body: { name: 'cdrom', diskRetentionPolicy: 'keep' } });
  expect(unplug(running, vm, 'data')).toEqual({
    method: 'PUT',
    path: `${action}/removevolume`,
    body: { name: 'data' },
  });
  expect(changePermission(running, 'addvolume')).toMatchObject({ verb: 'update', subresource: 'addvolume' });
});

it('a machine that is off is edited, and what others changed meanwhile is not undone', () => {
  const below = '/spec/template/spec';
  expect(insert(off, vm, 'cdrom', claim, { replace: true, force: false })).toMatchObject({
    method: 'PATCH',
    operations: [
      { op: 'test', path: `${below}/volumes/1/name`, value: 'cdrom' },
      { op: 'replace', path: `${below}/volumes/1`, value: { name: 'cdrom' } },
    ],
  });
  expect(eject(off, vm, 'cdrom', false)).toMatchObject({
    operations: [{ op: 'test' }, { op: 'remove', path: `${below}/volumes/1` }],
  });
  expect(plugIn(off, vm, { name: 'data', disk: { bus: 'scsi' } }, { kind: 'dataVolume', name: 'd' })).toMatchObject({
    operations: [
      { op: 'add', path: `${below}/domain/devices/disks/-`, value: { name: 'data' } },
      { op: 'add', path: `${below}/volumes/-`, value: { name: 'data', dataVolume: { name: 'd', hotpluggable: true } } },
    ],
  });
  expect(unplug(off, vm, 'root')).toMatchObject({
    operations: [
      { op: 'test', value: 'root' },
      { op: 'remove', path: `${below}/domain/devices/disks/0` },
      { op: 'test', value: 'root' },
      { op: 'remove', path: `${below}/volumes/0` },
    ],
  });
  expect(changePermission(off, 'removevolume')).toMatchObject({ verb: 'patch', group: 'kubevirt.io' });
});

it('lists that are not there yet are made', () => {
  const bare: Vm = { ...vm, spec: { template: { spec: {} } } };
  expect(plugIn(off, bare, { name: 'data' }, claim)).toMatchObject({
    operations: [
      { path: '/spec/template/spec/domain/devices', value: { disks: [{ name: 'data' }] } },
      { path: '/spec/template/spec/volumes', value: [{ name: 'data' }] },
    ],
  });
});
