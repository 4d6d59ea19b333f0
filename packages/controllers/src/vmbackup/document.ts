import type { ControllerRevision, Secret } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import type { StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import type { HarvesterBackup, HarvesterBackupStatus } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';

/** A Secret that a VM names, as it was. */
export type KeptSecret = Pick<Secret, 'type' | 'data'> & { readonly name: string };
/** A revision of an instance type or a preference that a VM names, as it was. */
export type KeptRevision = Pick<ControllerRevision, 'data' | 'revision'> & {
  readonly name: string;
  readonly labels?: Record<string, string> | undefined;
};

/** All that it takes to restore a backup, beside the data of its volumes. It is what the target keeps of the backup. */
export interface BackupDocument {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: HarvesterBackup['spec'];
  readonly status: HarvesterBackupStatus;
  /** By the names of the volumes in the VM. */
  readonly volumes: Readonly<Record<string, StoredVolume>>;
  readonly secrets: readonly KeptSecret[];
  readonly revisions: readonly KeptRevision[];
}

/** What was read at the target as a document; undefined where it is none. */
export function asBackupDocument(read: JsonObject): BackupDocument | undefined {
  const { metadata, spec, status, volumes, secrets, revisions } = read;
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
    Array.isArray(secrets) &&
    Array.isArray(revisions);
  // What it says in detail is checked where it is written to the server.
  return isWhole ? (read as unknown as BackupDocument) : undefined;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
