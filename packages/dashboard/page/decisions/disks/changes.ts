import type { PatchOperation } from '../../data/api.ts';
import type { DiskDevice } from '../../data/deviceKinds.ts';
import type { Vm, Volume } from '../../data/kinds.ts';
import type { Permission } from '../actions.ts';
import type { Machine } from '../machine.ts';

/** The request that changes a disk or a disc: an action of a machine that runs, or an edit of one that is off. */
export type Change =
  | { readonly method: 'PUT'; readonly path: string; readonly body: object }
  | { readonly method: 'PATCH'; readonly path: string; readonly operations: readonly PatchOperation[] };

/** What holds a disk's data: the name of a claim or of a DataVolume. */
export type VolumeSource = { readonly kind: 'claim' | 'dataVolume'; readonly name: string };

const TEMPLATE = '/spec/template/spec';
const DISKS = `${TEMPLATE}/domain/devices/disks`;

/** The permission for a change: the edit of a VM that is off needs another one than the actions of one that runs. */
export const changePermission = ({ isVm, hasInstance }: Machine, action: 'addvolume' | 'removevolume'): Permission => {
  const resource = isVm ? 'virtualmachines' : 'virtualmachineinstances';
  return hasInstance
    ? { verb: 'update', group: 'subresources.kubevirt.io', resource, subresource: action }
    : { verb: 'patch', group: 'kubevirt.io', resource };
};

const actionPath = ({ namespace, name, isVm }: Machine, action: string): string =>
  `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${
    isVm ? 'virtualmachines' : 'virtualmachineinstances'
  }/${encodeURIComponent(name)}/${action}`;

export const vmPath = ({ namespace, name }: Pick<Machine, 'namespace' | 'name'>): string =>
  `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachines/${encodeURIComponent(name)}`;

const volumeSource = ({ kind, name }: VolumeSource): object =>
  kind === 'claim'
    ? { persistentVolumeClaim: { claimName: name, hotpluggable: true } }
    : { dataVolume: { name, hotpluggable: true } };

/** Plugs a disk in. */
export function plugIn(machine: Machine, vm: Vm | undefined, disk: DiskDevice, source: VolumeSource): Change {
  if (machine.hasInstance || !vm) {
    const body = { name: disk.name, disk, volumeSource: volumeSource(source) };
    return { method: 'PUT', path: actionPath(machine, 'addvolume'), body };
  }
  const operations = [...append(vm, 'disks', disk), ...append(vm, 'volumes', volumeOf(disk.name, source))];
  return { method: 'PATCH', path: vmPath(machine), operations };
}

/** Unplugs a disk. Its data stays. */
export function unplug(machine: Machine, vm: Vm | undefined, name: string): Change {
  if (machine.hasInstance || !vm) return { method: 'PUT', path: actionPath(machine, 'removevolume'), body: { name } };
  return {
    method: 'PATCH',
    path: vmPath(machine),
    operations: [...remove(vm, 'disks', name), ...remove(vm, 'volumes', name)],
  };
}

/** Puts a disc into a drive, in place of the one that is there. */
export function insert(
  machine: Machine,
  vm: Vm | undefined,
  drive: string,
  source: VolumeSource,
  { replace, force }: { readonly replace: boolean; readonly force: boolean },
): Change {
  if (machine.hasInstance || !vm) {
    const more = { ...(replace && { replace }), ...(replace && force && { force }) };
    return {
      method: 'PUT',
      path: actionPath(machine, 'addvolume'),
      body: { name: drive, volumeSource: volumeSource(source), ...more },
    };
  }
  const index = volumesOf(vm).findIndex(({ name }) => name === drive);
  const value = volumeOf(drive, source);
  const operations =
    index < 0
      ? append(vm, 'volumes', value)
      : [
          expectName(`${TEMPLATE}/volumes`, index, drive),
          { op: 'replace' as const, path: `${TEMPLATE}/volumes/${index}`, value },
        ];
  return { method: 'PATCH', path: vmPath(machine), operations };
}

/** Takes the disc out of a drive; the drive and the claim stay. */
export function eject(machine: Machine, vm: Vm | undefined, drive: string, force: boolean): Change {
  if (machine.hasInstance || !vm) {
    const body = { name: drive, diskRetentionPolicy: 'keep', ...(force && { force }) };
    return { method: 'PUT', path: actionPath(machine, 'removevolume'), body };
  }
  return { method: 'PATCH', path: vmPath(machine), operations: remove(vm, 'volumes', drive) };
}

const volumeOf = (name: string, source: VolumeSource): object => ({ name, ...volumeSource(source) });
const volumesOf = (vm: Vm): readonly Volume[] => vm.spec.template?.spec?.volumes ?? [];
const disksOf = (vm: Vm): readonly DiskDevice[] => vm.spec.template?.spec?.domain?.devices?.disks ?? [];

const listPath = (list: 'disks' | 'volumes'): string => (list === 'disks' ? DISKS : `${TEMPLATE}/volumes`);

function append(vm: Vm, list: 'disks' | 'volumes', value: object): PatchOperation[] {
  const spec = vm.spec.template?.spec;
  const path = listPath(list);
  if (list === 'volumes')
    return [{ op: 'add', path: spec?.volumes ? `${path}/-` : path, value: spec?.volumes ? value : [value] }];
  if (!spec?.domain?.devices) return [{ op: 'add', path: `${TEMPLATE}/domain/devices`, value: { disks: [value] } }];
  const isThere = spec.domain.devices.disks !== undefined;
  return [{ op: 'add', path: isThere ? `${path}/-` : path, value: isThere ? value : [value] }];
}

/** What others did meanwhile must not make it remove another one: the name at the place is tested. */
function remove(vm: Vm, list: 'disks' | 'volumes', name: string): PatchOperation[] {
  const index = (list === 'disks' ? disksOf(vm) : volumesOf(vm)).findIndex((each) => each.name === name);
  const path = listPath(list);
  return index < 0 ? [] : [expectName(path, index, name), { op: 'remove', path: `${path}/${index}` }];
}

const expectName = (path: string, index: number, name: string): PatchOperation => ({
  op: 'test',
  path: `${path}/${index}/name`,
  value: name,
});

/** A new blank disk. */
export const blankDisk = (name: string, size: string, storageClass: string): object => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name },
  spec: {
    source: { blank: {} },
    storage: { resources: { requests: { storage: size } }, ...(storageClass && { storageClassName: storageClass }) },
  },
});
