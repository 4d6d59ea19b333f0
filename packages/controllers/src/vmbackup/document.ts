import type { ControllerRevision, KubeObject } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import {
  BACKUP_OBJECTS,
  type BackupObjects,
  type BackupObjectsField,
} from '@vireo/api/kinds/harvester/backupObjects.ts';
import type { StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import type { HarvesterBackup, HarvesterBackupStatus } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';

/** An object that a VM names, as it was: its name, and the fields that `BACKUP_OBJECTS` says. */
export type KeptObject = JsonObject & { readonly name: string };
/** A revision of an instance type or a preference that a VM names, as it was. */
export type KeptRevision = Pick<ControllerRevision, 'data' | 'revision'> & {
  readonly name: string;
  readonly labels?: Record<string, string> | undefined;
};

/** All that it takes to restore a backup, beside the data of its volumes. It is what the target keeps of the backup. */
export interface BackupDocument extends Readonly<Record<BackupObjectsField, readonly KeptObject[]>> {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: HarvesterBackup['spec'];
  readonly status: HarvesterBackupStatus;
  /** By the names of the volumes in the VM. */
  readonly volumes: Readonly<Record<string, StoredVolume>>;
  readonly revisions: readonly KeptRevision[];
}

/**
 * What was read at the target as a document; undefined where it is none. Documents of earlier versions of Vireo have no
 * ConfigMaps and KeyPairs.
 */
export function asBackupDocument(read: JsonObject): BackupDocument | undefined {
  const { metadata, spec, status, volumes, revisions } = read;
  const objects = OBJECT_FIELDS.map((field) => [field, read[field] ?? []] as const);
  const isWhole =
    isObject(metadata) &&
    isName(metadata.namespace) &&
    isName(metadata.name) &&
    isObject(spec) &&
    isObject(spec.source) &&
    isObject(status) &&
    isName(status.sourceUID) &&
    Array.isArray(status.volumeBackups) &&
    isObject(volumes) &&
    [...objects.map(([, kept]) => kept), revisions].every(
      (kept) => Array.isArray(kept) && kept.every((each) => isObject(each) && isName(each.name)),
    );
  // What it says in detail is checked where it is written to the server.
  return isWhole ? ({ ...read, ...Object.fromEntries(objects) } as unknown as BackupDocument) : undefined;
}

const OBJECT_FIELDS = Object.keys(BACKUP_OBJECTS) as BackupObjectsField[];

/** What an object needs beside its name to be made again. Nothing else is taken from what was read at the target. */
export const keptFields = ({ fields }: BackupObjects, object: object): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([field, value]) => fields.includes(field) && value !== undefined));

/** An object as its backup has it. */
export const keptObject = (objects: BackupObjects, object: KubeObject): KeptObject => ({
  ...keptFields(objects, object),
  name: object.metadata.name ?? '',
});

/** Does something for each kind of objects that backups contain. */
export async function forEachKind<T>(
  act: (objects: BackupObjects, field: BackupObjectsField) => Promise<T>,
): Promise<Record<BackupObjectsField, T>> {
  const done = OBJECT_FIELDS.map(async (field) => [field, await act(BACKUP_OBJECTS[field], field)] as const);
  return Object.fromEntries(await Promise.all(done)) as Record<BackupObjectsField, T>;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
