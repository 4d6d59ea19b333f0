import type { KubeObject, Metadata } from '../../data/kinds.ts';
import type { DataSource, VolumeSnapshot } from './objects.ts';

/** Who needs a claim. */
export interface User {
  readonly kind: 'machine' | 'snapshot' | 'DataSource' | 'export';
  readonly name: string;
  /** Of machines: whether it runs now, so that the claim stays until it stops. */
  readonly isRunning?: boolean;
}

interface VolumeOfMachine {
  readonly name: string;
  readonly dataVolume?: { readonly name?: string };
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: { readonly persistentVolumeClaim?: { readonly claimName?: string } };
  readonly memoryDump?: { readonly claimName?: string };
}

interface MachineSpec {
  readonly volumes?: readonly VolumeOfMachine[];
  readonly domain?: {
    readonly devices?: { readonly disks?: readonly { readonly name: string; readonly cdrom?: object }[] };
  };
}

/** A VM or an instance, as far as its volumes go. */
export interface MachineWithVolumes extends KubeObject {
  readonly spec?: MachineSpec & { readonly template?: { readonly spec?: MachineSpec } };
  readonly status?: { readonly phase?: string };
}

/** The claims of a machine. */
export interface MachineVolumes {
  readonly namespace: string;
  readonly name: string;
  readonly claims: readonly string[];
  /** Those of them that are in its CD-ROM drives. */
  readonly discs: readonly string[];
  readonly isRunning: boolean;
}

const claimOf = (volume: VolumeOfMachine): string | undefined =>
  volume.dataVolume?.name ??
  volume.persistentVolumeClaim?.claimName ??
  volume.ephemeral?.persistentVolumeClaim?.claimName ??
  volume.memoryDump?.claimName;

const ENDED = ['Succeeded', 'Failed'];

export function machineVolumes({ metadata, spec, status }: MachineWithVolumes): MachineVolumes {
  const { volumes = [], domain } = spec?.template?.spec ?? spec ?? {};
  const drives = new Set(domain?.devices?.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name));
  const claims = volumes.flatMap((volume) => {
    const claim = claimOf(volume);
    return claim === undefined ? [] : [{ claim, isDisc: drives.has(volume.name) }];
  });
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    claims: claims.map(({ claim }) => claim),
    discs: claims.filter(({ isDisc }) => isDisc).map(({ claim }) => claim),
    // Only instances have a phase, and VMs without one do not run.
    isRunning: status?.phase !== undefined && !ENDED.includes(status.phase),
  };
}

const keyFor = (metadata: Pick<Metadata, 'namespace'>, name: string): string => `${metadata.namespace ?? ''}/${name}`;

/** Who needs each claim, by namespace and name of the claim. */
export function usersOf(objects: {
  readonly machines: readonly MachineVolumes[];
  readonly snapshots: readonly VolumeSnapshot[];
  readonly dataSources: readonly DataSource[];
}): ReadonlyMap<string, readonly User[]> {
  const users = new Map<string, User[]>();
  const add = (key: string, user: User): void => {
    const known = users.get(key) ?? [];
    const same = known.find(({ kind, name }) => kind === user.kind && name === user.name);
    // A VM and its instance are one machine.
    if (!same) users.set(key, [...known, user]);
    else if (user.isRunning) users.set(key, [...known.filter((each) => each !== same), user]);
  };
  for (const { namespace, name, claims, isRunning } of objects.machines)
    for (const claim of claims) add(keyFor({ namespace }, claim), { kind: 'machine', name, isRunning });
  for (const { metadata, spec } of objects.snapshots) {
    const claim = spec?.source?.persistentVolumeClaimName;
    if (claim) add(keyFor(metadata, claim), { kind: 'snapshot', name: metadata.name });
  }
  for (const { metadata, spec } of objects.dataSources) {
    const pvc = spec?.source?.pvc;
    const namespace = pvc?.namespace ?? metadata.namespace;
    if (pvc?.name && namespace) add(`${namespace}/${pvc.name}`, { kind: 'DataSource', name: metadata.name });
  }
  return users;
}

/** `web (runs), db · 2 snapshots`. */
export function usersText(users: readonly User[]): string {
  const machines = users.filter(({ kind }) => kind === 'machine').map(({ name }) => name);
  const others = (['snapshot', 'DataSource', 'export'] as const).flatMap((kind) => {
    const count = users.filter((user) => user.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`];
  });
  return [...(machines.length > 0 ? [machines.join(', ')] : []), ...others].join(' · ');
}
