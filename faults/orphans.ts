import type { Persisted } from '@vireo/api';
import { NAMESPACE } from './objects.ts';
import type { Scene } from './scene.ts';

const uidOf = ({ metadata }: Persisted): string => metadata.uid;
const nameOf = ({ metadata }: Persisted): string => metadata.name;

/** What is on the host or in the API and belongs to nothing that is there. */
export function orphans(scene: Scene): string[] {
  const { host, vmis, volumes, volumeSnapshotContents, domains = [] } = scene;
  const without = (what: string, names: readonly string[], owners: readonly string[]): string[] =>
    names.filter((name) => !owners.includes(name)).map((name) => `${what} ${name}: belongs to nothing`);
  const uids = vmis.map(uidOf);
  const known = domains.map(({ name }) => name);
  const vmiNames = vmis.map((each) => `${NAMESPACE}_${nameOf(each)}`);
  const unknown = host.monitors.filter((monitor) => !known.some((name) => name.startsWith(monitor)));
  return [
    ...host.strays.map((process) => `process ${process}: belongs to nothing`),
    ...without('files of VMI', host.files, uids),
    ...without('sockets of VMI', host.sockets, uids),
    ...without('definition of domain', host.definitions, known),
    ...without('state of domain', host.states, known),
    ...without('log of domain', host.logs, vmiNames),
    ...without('monitor of domain', unknown, []),
    ...without('files of PersistentVolume', host.disks, volumes.map(nameOf)),
    ...without('files of VolumeSnapshotContent', host.kept, volumeSnapshotContents.map(nameOf)),
    ...ownerless(scene),
  ];
}

/** Objects that nobody has asked for by name, and whose owners are gone. */
function ownerless(scene: Scene): string[] {
  const { vms, vmis, pods, snapshots, restores, dataVolumes, claims } = scene;
  const { snapshotContents, volumeSnapshots, volumeSnapshotContents, volumes } = scene;
  // Launcher pods own attachment pods.
  const owners = new Set([...vms, ...vmis, ...pods, ...restores, ...dataVolumes, ...snapshotContents].map(uidOf));
  const isOwned = ({ metadata }: Persisted): boolean =>
    metadata.ownerReferences?.some(({ uid }) => owners.has(uid)) ?? false;
  const names = (objects: readonly Persisted[]): Set<string> => new Set(objects.map(nameOf));
  const [askedFor, states, claimed] = [names(snapshots), names(volumeSnapshots), names(claims)];
  return [
    ...[...pods, ...claims, ...volumeSnapshots].filter((each) => !isOwned(each)),
    ...snapshotContents.filter(({ spec }) => !askedFor.has(spec.virtualMachineSnapshotName ?? '')),
    ...volumeSnapshotContents.filter(({ spec }) => !states.has(spec.volumeSnapshotRef.name ?? '')),
    ...volumes.filter(({ spec }) => !claimed.has(spec?.claimRef?.name ?? '')),
  ].map((each) => `${each.kind} ${nameOf(each)}: belongs to nothing`);
}
