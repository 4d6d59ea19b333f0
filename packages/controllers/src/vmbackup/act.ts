import { ControllerRevision, controllerReference, type Persisted, Pod } from '@vireo/api';
import type { BackupObjects } from '@vireo/api/kinds/harvester/backupObjects.ts';
import {
  BACKUP_WORK_NAMESPACE,
  BACKUP_WORK_PROTECTION,
  BACKUP_WORK_SELECTOR,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { HarvesterBackup, type HarvesterBackupStatus } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Client, type Draft, ignoreAlreadyExists, ignoreNotFound, ignoreNotFoundOrConflict } from '@vireo/kube';
import { homeOf } from '../backuptarget/home.ts';
import { Snapshot } from '../snapshot/kinds.ts';
import { type KeptObject, type KeptRevision, keptObject } from './document.ts';
import { workedForUid } from './worker.ts';

export type Backup = Persisted<HarvesterBackup>;

/** Keeps a backup until its data is removed from the target. */
export const BACKUP_PROTECTION = 'harvesterhci.io/vmbackup-protection';

/** Everything that the controller of backups does to objects. Each is safe to be done again. */
export interface BackupActions {
  take(backup: Backup): Promise<void>;
  release(backup: Backup): Promise<void>;
  writeStatus(backup: Backup, status: HarvesterBackupStatus): Promise<Backup>;
  createSnapshot(backup: Backup): Promise<void>;
  deleteSnapshot(snapshot: Snapshot): Promise<void>;
  createPod(draft: Draft<Pod>): Promise<void>;
  /** It stays until its node has stopped. */
  deletePod(pod: Persisted<Pod>): Promise<void>;
  releasePod(pod: Persisted<Pod>): Promise<void>;
  /** Whether pods work for a backup, asked of the server: the cache may not know yet which were made. */
  isWorkedFor(backup: Backup): Promise<boolean>;
  /** Those of the objects that are there, as they are now. */
  objects(objects: BackupObjects, namespace: string, names: readonly string[]): Promise<KeptObject[]>;
  revisions(namespace: string, names: readonly string[]): Promise<KeptRevision[]>;
  /** What this installation is known by among others that share a target. */
  home(): Promise<string>;
}

/** The name of the snapshot that a backup is made of. */
export const snapshotNameOf = ({ metadata }: Backup): string => `vmbackup-${metadata.uid}`;

export function backupActions(client: Client): BackupActions {
  const backups = client.of(HarvesterBackup);
  return {
    async take(backup) {
      await backups.addFinalizer(backup, BACKUP_PROTECTION);
    },
    async release(backup) {
      await backups.removeFinalizer(backup, BACKUP_PROTECTION).catch(ignoreNotFound);
    },
    async writeStatus(backup, status) {
      return (await backups.writeStatus(backup, status)) ?? backup;
    },
    async createSnapshot(backup) {
      const { fsFreezeDeadline, source } = backup.spec;
      const draft: Draft<Snapshot> = {
        metadata: {
          name: snapshotNameOf(backup),
          namespace: backup.metadata.namespace,
          ownerReferences: [controllerReference(backup, HarvesterBackup)],
        },
        spec: { source: vmReference(source.name), ...(fsFreezeDeadline && { failureDeadline: fsFreezeDeadline }) },
      };
      await client.of(Snapshot).create(draft).catch(ignoreAlreadyExists);
    },
    async deleteSnapshot(snapshot) {
      await client.of(Snapshot).deleteExactly(snapshot).catch(ignoreNotFoundOrConflict);
    },
    async createPod(draft) {
      await client.of(Pod).create(draft).catch(ignoreAlreadyExists);
    },
    async deletePod(pod) {
      await client.of(Pod).deleteExactly(pod).catch(ignoreNotFoundOrConflict);
    },
    async releasePod(pod) {
      await client.of(Pod).removeFinalizer(pod, BACKUP_WORK_PROTECTION).catch(ignoreNotFound);
    },
    async isWorkedFor({ metadata: { uid } }) {
      const query = { namespace: BACKUP_WORK_NAMESPACE, labelSelector: BACKUP_WORK_SELECTOR };
      return (await client.of(Pod).list(query)).items.some((pod) => workedForUid(pod) === uid);
    },
    async objects(objects, namespace, names) {
      const found = await Promise.all(names.map((name) => client.of(objects.kind).find(name, { namespace })));
      return found.flatMap((each) => (each && !objects.isUseless?.(each) ? [keptObject(objects, each)] : []));
    },
    async revisions(namespace, names) {
      const found = await Promise.all(names.map((name) => client.of(ControllerRevision).get(name, { namespace })));
      return found.map(({ metadata, data, revision }) => ({
        name: metadata.name,
        labels: metadata.labels,
        data,
        revision,
      }));
    },
    home: homeOf(client),
  };
}
