import { forbiddenText, type May, type Offer, type Permission } from '../actions.ts';
import type { Volume, VolumeKind } from './volumes.ts';

const RESOURCES: Readonly<
  Record<VolumeKind, { readonly group: string; readonly version: string; readonly resource: string }>
> = {
  DataVolume: { group: 'cdi.kubevirt.io', version: 'v1beta1', resource: 'datavolumes' },
  PersistentVolumeClaim: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
  DataSource: { group: 'cdi.kubevirt.io', version: 'v1beta1', resource: 'datasources' },
  VirtualMachineImage: { group: 'harvesterhci.io', version: 'v1beta1', resource: 'virtualmachineimages' },
};

/** Where the objects of a kind are. */
export function pathOf(kind: VolumeKind, namespace: string | undefined, name?: string): string {
  const { group, version, resource } = RESOURCES[kind];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const below = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${below}/${resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

export const permissionTo = (verb: string, kind: VolumeKind): Permission => {
  const { group, resource } = RESOURCES[kind];
  return { verb, group, resource };
};

/** Whether something may be done to objects of a kind in a namespace, or why not. */
export function offerOf(permission: Permission, namespace: string, may: May): Offer {
  return may(permission, namespace) === false
    ? { isOffered: false, reason: forbiddenText(permission, namespace) }
    : { isOffered: true };
}

export function deleteOffer(volume: Volume, may: May): Offer {
  if (volume.isDeleting) return { isOffered: false, reason: 'It is being deleted.' };
  return offerOf(permissionTo('delete', volume.kind), volume.namespace, may);
}

/** Whether data goes with it: what only points to a claim leaves the data where it is. */
export const losesData = ({ kind, state }: Volume): boolean =>
  kind !== 'DataSource' && state.word !== 'UploadReady' && state.group !== 'trouble';

/** What happens to whom when a volume is deleted, a sentence each. */
export function consequencesOf(volume: Volume): string[] {
  const { kind, users, owner, name } = volume;
  const machines = users.filter((user) => user.kind === 'machine');
  const running = machines.filter(({ isRunning }) => isRunning).map((user) => user.name);
  const stopped = machines.filter(({ isRunning }) => !isRunning).map((user) => user.name);
  const snapshots = users.filter((user) => user.kind === 'snapshot').map((user) => user.name);
  const sources = users.filter((user) => user.kind === 'DataSource').map((user) => user.name);
  return [
    kind === 'DataSource' ? 'The claim that it points to, and its data, stay.' : '',
    kind === 'DataVolume' ? `Its claim ${volume.claimName ?? name} and the data on it are deleted with it.` : '',
    kind === 'VirtualMachineImage' ? 'The volume that holds the image is deleted with it.' : '',
    running.length > 0
      ? `${listed(running)} ${running.length === 1 ? 'runs and uses' : 'run and use'} it: it is deleted once ${running.length === 1 ? 'that has' : 'those have'} stopped.`
      : '',
    stopped.length > 0
      ? `${listed(stopped)} ${stopped.length === 1 ? 'uses' : 'use'} it, and cannot start without it.`
      : '',
    snapshots.length > 0 ? `Its snapshots stay: ${listed(snapshots)}.` : '',
    sources.length > 0 ? `Machines can no longer be created from DataSource ${listed(sources)}.` : '',
    owner?.kind === 'VirtualMachine'
      ? `It belongs to VM ${owner.name}, which may create it again, empty or from its source.`
      : '',
    owner?.kind === 'VirtualMachineImage' ? `It belongs to image ${owner.name}: delete that instead.` : '',
  ].filter((sentence) => sentence !== '');
}

const MOST_NAMES = 8;
const listed = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ');
