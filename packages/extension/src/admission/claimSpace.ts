import { defaultVirtStorageClass, isDefaultStorageClass, Node, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { FREE_STORAGE, LOCAL_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { formatBytes, toBytes } from '@vireo/api/quantity.ts';
import type { Client } from '@vireo/kube';
import { isComponent } from '../identity.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/** A claim that somebody is about to make. */
export interface RequestedClaim {
  /** How the warning names it. */
  readonly what: string;
  readonly sizeBytes: number;
  /** Missing: the default one. */
  readonly storageClassName?: string | undefined;
  /** Whether the default class is the one for VMs, where there is one. */
  readonly prefersVirtDefault?: boolean;
}

/** Warns of claims that no node has the space for now. It never refuses: disks are sparse, and what is free changes. */
export const claimSpaceWarning: ValidatingRule<PersistentVolumeClaim> = {
  type: 'validating',
  webhook: 'persistentvolumeclaim-space.vireo.dev',
  path: '/persistentvolumeclaims-space',
  kinds: [PersistentVolumeClaim],
  operations: ['CREATE', 'UPDATE'],
  failurePolicy: 'Ignore',
  async validate({ object, oldObject, user }, { client }) {
    // Whoever had a component make the claim was warned then.
    if (isComponent(user)) return ALLOWED;
    const sizeBytes = requestedBytes(object.spec);
    if (sizeBytes <= (oldObject ? requestedBytes(oldObject.spec) : 0)) return ALLOWED;
    const what = `PersistentVolumeClaim ${object.metadata.name ?? ''}`.trimEnd();
    const claim = { what, sizeBytes, storageClassName: object.spec?.storageClassName };
    return { errors: [], warnings: await spaceWarnings([claim], client) };
  },
};

/** The claim that a DataVolume makes; undefined where it says no size. */
export function claimOfDataVolume(spec: DataVolume['spec'], name: string | undefined): RequestedClaim[] {
  const claim = spec.storage ?? spec.pvc;
  const sizeBytes = requestedBytes(claim);
  if (sizeBytes === 0) return [];
  const what = `DataVolume ${name ?? ''}`.trimEnd();
  return [
    { what, sizeBytes, storageClassName: claim?.storageClassName, prefersVirtDefault: spec.storage !== undefined },
  ];
}

function requestedBytes(spec: { resources?: { requests?: Record<string, string | number> } } | undefined): number {
  try {
    return Number(toBytes(spec?.resources?.requests?.storage ?? '0'));
  } catch {
    // Validation rejects what is no quantity.
    return 0;
  }
}

/** What to tell whoever makes claims that are larger than what is free on any node. */
export async function spaceWarnings(claims: readonly RequestedClaim[], client: Client): Promise<string[]> {
  if (claims.length === 0) return [];
  try {
    return await findSpaceWarnings(claims, client);
  } catch {
    // What cannot be looked up is warned of by nobody; it is no reason to reject the object.
    return [];
  }
}

async function findSpaceWarnings(claims: readonly RequestedClaim[], client: Client): Promise<string[]> {
  const freeBytes = mostFreeBytes((await client.of(Node).list()).items);
  const large = claims.filter(({ sizeBytes }) => freeBytes !== undefined && sizeBytes > freeBytes);
  if (freeBytes === undefined || large.length === 0) return [];
  const classes = (await client.of(StorageClass).list()).items;
  return large.flatMap((claim) => spaceWarning(claim, freeBytes, classes) ?? []);
}

/** Undefined where no node tells. */
export function mostFreeBytes(nodes: readonly Node[]): number | undefined {
  const reported = nodes
    .flatMap(({ metadata }) => metadata.annotations?.[FREE_STORAGE] ?? [])
    .map(Number)
    .filter(Number.isFinite);
  return reported.length > 0 ? Math.max(...reported) : undefined;
}

export function spaceWarning(
  { what, sizeBytes, storageClassName, prefersVirtDefault = false }: RequestedClaim,
  freeBytes: number,
  classes: readonly StorageClass[],
): string | undefined {
  const byDefault = prefersVirtDefault ? defaultVirtStorageClass(classes) : classes.find(isDefaultStorageClass);
  const storageClass =
    storageClassName === undefined ? byDefault : classes.find(({ metadata }) => metadata.name === storageClassName);
  if (storageClass?.provisioner !== LOCAL_PROVISIONER) return undefined;
  const lack = `${what} requests ${formatBytes(sizeBytes)}, but no node has more than ${formatBytes(freeBytes)} free`;
  return storageClass.parameters?.allowOvercommit === 'false'
    ? `${lack}: it stays Pending until there is room, because StorageClass ${storageClass.metadata.name} does not allow overcommit`
    : `${lack}: its disk takes space as the guest writes to it, and the guest is paused if the node runs out of space`;
}
