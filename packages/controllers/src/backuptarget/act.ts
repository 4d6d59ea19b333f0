import { type Persisted, Secret } from '@vireo/api';
import {
  BACKUP_TARGET_SECRET,
  type BackupCredentials,
  credentialsData,
  credentialsIn,
} from '@vireo/api/kinds/harvester/backupTarget.ts';
import { BACKUP_TARGET_SETTING, Setting, type SettingStatus } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup, type HarvesterBackupStatus } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { type Client, type Draft, ignoreAlreadyExists, ignoreNotFoundOrConflict } from '@vireo/kube';
import { homeOf } from './home.ts';
import { hidingPatch } from './value.ts';

/** Everything that the controller of the backup target does to objects. Each is safe to be done again. */
export interface BackupTargetActions {
  createSetting(): Promise<void>;
  /** Replaces the value by one without keys, unless somebody else has changed it since. */
  hideKeys(setting: Persisted<Setting>, value: string): Promise<void>;
  annotate(setting: Persisted<Setting>, annotations: Record<string, string>): Promise<Persisted<Setting>>;
  /** Returns the Setting as it is then. */
  writeStatus(setting: Persisted<Setting>, status: SettingStatus): Promise<Persisted<Setting>>;
  credentials(): Promise<BackupCredentials>;
  writeCredentials(credentials: BackupCredentials): Promise<void>;
  /** A backup that was found at the target. Undefined: another has made it. */
  createBackup(draft: Draft<HarvesterBackup>): Promise<Persisted<HarvesterBackup> | undefined>;
  /** One that was found and has no status yet: its data stays at the target. */
  deleteBackup(backup: Persisted<HarvesterBackup>): Promise<void>;
  writeBackupStatus(backup: Persisted<HarvesterBackup>, status: HarvesterBackupStatus): Promise<void>;
  /** What this installation is known by among others that share a target. */
  home(): Promise<string>;
}

export function backupTargetActions(client: Client): BackupTargetActions {
  const settings = client.of(Setting);
  const secrets = client.of(Secret);
  const backups = client.of(HarvesterBackup);
  const { name, namespace } = BACKUP_TARGET_SECRET;
  return {
    async createSetting() {
      await settings
        .create({ metadata: { name: BACKUP_TARGET_SETTING }, value: '', default: '' })
        .catch(ignoreAlreadyExists);
    },
    async hideKeys(setting, value) {
      await settings.patchIfUnchanged(setting, hidingPatch(value));
    },
    annotate: (setting, annotations) => settings.patchIfUnchanged(setting, { metadata: { annotations } }),
    async writeStatus(setting, status) {
      return (await settings.writeStatus(setting, status)) ?? setting;
    },
    async credentials() {
      return credentialsIn((await secrets.find(name, { namespace }))?.data);
    },
    async writeCredentials(credentials) {
      const data = credentialsData(credentials);
      const { object, wasCreated } = await secrets.createOrGet({ metadata: { name, namespace }, data });
      if (!wasCreated) await secrets.patchExactly(object, { data });
    },
    createBackup: (draft) => backups.create(draft).catch(ignoreAlreadyExists),
    async deleteBackup(backup) {
      await backups.deleteExactly(backup).catch(ignoreNotFoundOrConflict);
    },
    async writeBackupStatus(backup, status) {
      await backups.writeStatus(backup, status);
    },
    home: homeOf(client),
  };
}
