import { type KubeObject, keyOf } from '../../data/kinds.ts';
import { bytesOf } from '../quantity.ts';
import {
  ALLOCATED_BYTES,
  annotationOf,
  type Claim,
  type DataSource,
  type DataVolume,
  SOURCE_FILE,
  type VmImage,
  type VolumeSnapshot,
} from './objects.ts';
import { type MachineVolumes, type User, usersOf } from './users.ts';
import { claimStanding, dataSourceStanding, dataVolumeStanding, imageStanding, type Standing } from './volumeStates.ts';

export const VOLUME_KINDS = ['DataVolume', 'PersistentVolumeClaim', 'DataSource', 'VirtualMachineImage'] as const;
export type VolumeKind = (typeof VOLUME_KINDS)[number];

/** A line of the table of images and volumes. */
export interface Volume extends Standing {
  readonly key: string;
  readonly kind: VolumeKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  /** How Harvester's users call an image. */
  readonly displayName?: string;
  readonly what: 'image' | 'disk' | 'disc';
  readonly sizeBytes: number | undefined;
  readonly usedBytes: number | undefined;
  readonly storageClass: string | undefined;
  readonly users: readonly User[];
  readonly createdAt: string | undefined;
  readonly isDeleting: boolean;
  /** Where its data is from, in words. */
  readonly origin: string;
  /** `Kind name` of what made it, and makes it again or deletes it. */
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
  /** The claim that holds the data; undefined for what only points to some. */
  readonly claimName: string | undefined;
}

export interface VolumeObjects {
  readonly dataVolumes: readonly DataVolume[];
  readonly claims: readonly Claim[];
  readonly dataSources: readonly DataSource[];
  readonly images: readonly VmImage[];
  readonly machines: readonly MachineVolumes[];
  readonly snapshots: readonly VolumeSnapshot[];
}

/** The end of a reason that begins with an address: where there is room for a few words only, these are the ones. */
export const causeOf = (reason: string): string => reason.replace(/^https?:\/\/\S+\s+(?=\S)/, '');

/** Everything that disks are made of, each once: a claim is part of the DataVolume that made it. */
export function volumesFrom(objects: VolumeObjects): Volume[] {
  const claims = new Map(objects.claims.map((claim) => [keyOf(claim), claim]));
  const users = usersOf(objects);
  const discs = new Set(
    objects.machines.flatMap(({ namespace, discs }) => discs.map((claim) => `${namespace}/${claim}`)),
  );
  const taken = new Set(objects.dataVolumes.map(claimKeyOf));
  return [
    ...objects.dataVolumes.map((volume) => ofDataVolume(volume, claims.get(claimKeyOf(volume)), users, discs)),
    ...objects.claims.filter((claim) => !taken.has(keyOf(claim))).map((claim) => ofClaim(claim, users, discs)),
    ...objects.dataSources.map((source) => ofDataSource(source)),
    ...objects.images.map((image) => ofImage(image, claims.get(keyOf(image)))),
  ];
}

const claimKeyOf = ({ metadata, status }: DataVolume): string =>
  `${metadata.namespace ?? ''}/${status?.claimName ?? metadata.name}`;

type Users = ReadonlyMap<string, readonly User[]>;

function identity(kind: VolumeKind, object: KubeObject & { readonly metadata: Claim['metadata'] }) {
  const { metadata } = object;
  const owner = metadata.ownerReferences?.[0];
  return {
    key: `${kind}/${keyOf(object)}`,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    createdAt: metadata.creationTimestamp,
    isDeleting: metadata.deletionTimestamp !== undefined,
    owner: owner && { kind: owner.kind, name: owner.name },
  };
}

/** Something that a DataSource points to is an image; a disc is known by its name, or by the drive that it is in. */
function whatIs(key: string, origin: string, users: readonly User[], discs: ReadonlySet<string>): Volume['what'] {
  if (discs.has(key) || /\.iso(\.(gz|xz|zst))?$/i.test(origin)) return 'disc';
  return users.some(({ kind }) => kind === 'DataSource') ? 'image' : 'disk';
}

const usedBytesOf = (claim: Claim | undefined): number | undefined => {
  const bytes = Number(claim && annotationOf(claim, ALLOCATED_BYTES));
  return Number.isFinite(bytes) && bytes > 0 ? bytes : undefined;
};

function ofDataVolume(volume: DataVolume, claim: Claim | undefined, users: Users, discs: ReadonlySet<string>): Volume {
  const key = claimKeyOf(volume);
  const origin = originOf(volume);
  const wanted = volume.spec?.storage ?? volume.spec?.pvc;
  const own = users.get(key) ?? [];
  const isOfImage = volume.metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachineImage');
  return {
    ...identity('DataVolume', volume),
    ...dataVolumeStanding(volume),
    what: isOfImage ? 'image' : whatIs(key, origin, own, discs),
    sizeBytes: bytesOf(claim?.status?.capacity?.storage ?? wanted?.resources?.requests?.storage),
    usedBytes: usedBytesOf(claim),
    storageClass: claim?.spec?.storageClassName ?? wanted?.storageClassName,
    users: own,
    origin,
    claimName: volume.status?.claimName ?? volume.metadata.name,
  };
}

function ofClaim(claim: Claim, users: Users, discs: ReadonlySet<string>): Volume {
  const own = users.get(keyOf(claim)) ?? [];
  const { dataSource, storageClassName, resources } = claim.spec ?? {};
  const origin = dataSource?.name ? `${dataSource.kind ?? 'copy of'} ${dataSource.name}` : 'empty claim';
  return {
    ...identity('PersistentVolumeClaim', claim),
    ...claimStanding(claim),
    what: whatIs(keyOf(claim), annotationOf(claim, SOURCE_FILE) ?? origin, own, discs),
    sizeBytes: bytesOf(claim.status?.capacity?.storage ?? resources?.requests?.storage),
    usedBytes: usedBytesOf(claim),
    storageClass: storageClassName,
    users: own,
    origin,
    claimName: claim.metadata.name,
  };
}

function ofDataSource(source: DataSource): Volume {
  const { pvc, snapshot } = source.spec?.source ?? {};
  const target = pvc ?? snapshot;
  return {
    ...identity('DataSource', source),
    ...dataSourceStanding(source),
    what: 'image',
    sizeBytes: undefined,
    usedBytes: undefined,
    storageClass: undefined,
    users: [],
    origin: target?.name ? `points to ${pvc ? 'claim' : 'snapshot'} ${target.namespace ?? ''}/${target.name}` : 'empty',
    claimName: undefined,
  };
}

function ofImage(image: VmImage, claim: Claim | undefined): Volume {
  const { displayName, url, sourceType } = image.spec ?? {};
  return {
    ...identity('VirtualMachineImage', image),
    ...imageStanding(image),
    ...(displayName !== undefined && { displayName }),
    what: 'image',
    sizeBytes: image.status?.virtualSize ?? image.status?.size,
    usedBytes: usedBytesOf(claim),
    storageClass: image.status?.targetStorageClassName ?? claim?.spec?.storageClassName,
    users: [],
    origin: url ?? sourceType ?? '',
    claimName: undefined,
  };
}

/** Where the data of a DataVolume is from. */
export function originOf(volume: DataVolume): string {
  const { source, sourceRef } = volume.spec ?? {};
  const file = annotationOf(volume, SOURCE_FILE);
  if (file) return file;
  if (source?.http) return source.http.url ?? 'a download';
  if (source?.registry) return source.registry.url ?? 'a registry';
  if (source?.upload) return 'an upload';
  if (source?.blank) return 'empty disk';
  const copied = source?.pvc ?? source?.snapshot;
  if (copied) return `copy of ${source?.pvc ? '' : 'snapshot '}${copied.namespace ?? ''}/${copied.name}`;
  return sourceRef?.name ? `${sourceRef.kind ?? 'DataSource'} ${sourceRef.name}` : '';
}
