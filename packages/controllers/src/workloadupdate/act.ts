import { isConditionTrue, type Persisted, Pod } from '@vireo/api';
import { Migration, WORKLOAD_UPDATE_MIGRATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VOLUME_UPDATE_LABEL, VOLUMES_CHANGE } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { type Client, ignoreNotFoundOrConflict, type Recorder } from '@vireo/kube';
import { createMigration } from '../createMigration.ts';
import { LAUNCHER_IMAGE } from '../vmi/launcherPod.ts';
import { isOutdated } from './decide.ts';

/** On VMIs whose guest an older launcher has started. */
const OUTDATED_LABEL = 'kubevirt.io/outdatedLauncherImage';
const LONGEST_LABEL = 63;

/** The writes of the workload updater. */
export interface UpdateActions {
  migrate(vmi: Vmi): Promise<void>;
  /** Has the guest shut down; how it goes on is its VM's affair. */
  evict(vmi: Vmi, launcher: Persisted<Pod>): Promise<void>;
  abort(vmi: Vmi, migration: Migration): Promise<void>;
  /** Says of a guest that an older launcher has started it. */
  label(vmi: Vmi): Promise<void>;
  /** Says of a guest that it has a launcher of today. */
  confirm(vmi: Vmi): Promise<void>;
}

export function updateActions(client: Client, recorder: Recorder): UpdateActions {
  return {
    async migrate(vmi) {
      const { name, uid } = vmi.metadata;
      await createMigration(
        vmi,
        {
          generateName: 'kubevirt-workload-update-',
          annotations: { [WORKLOAD_UPDATE_MIGRATION_ANNOTATION]: '' },
          ...(isConditionTrue(vmi, VOLUMES_CHANGE) && {
            labels: { [VOLUME_UPDATE_LABEL]: name.length > LONGEST_LABEL ? uid : name },
          }),
          priority: isOutdated(vmi) ? 'system-critical' : 'user-triggered',
          why: ' for automated workload update',
        },
        client,
        recorder,
      );
    },

    async evict(vmi, { metadata: { name, namespace } }) {
      try {
        await client.of(Pod).createSubresource(name, 'eviction', { metadata: { name, namespace } }, { namespace });
        recorder.event(vmi, 'Normal', 'SuccessfulEvict', `Evicted pod ${name} for automated workload update`);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        recorder.event(vmi, 'Warning', 'FailedEvict', `Error evicting pod ${name}: ${message}`);
      }
    },

    async abort(vmi, migration) {
      await client.of(Migration).deleteExactly(migration).catch(ignoreNotFoundOrConflict);
      recorder.event(vmi, 'Normal', 'SuccessfulChangeAbortion', `Aborted change for vmi: ${vmi.metadata.name}`);
    },

    async label(vmi) {
      if (!isOutdated(vmi) || Object.hasOwn(vmi.metadata.labels ?? {}, OUTDATED_LABEL)) return;
      const metadata = { labels: { [OUTDATED_LABEL]: '' } };
      await client.of(Vmi).patchExactly(vmi, { metadata }).catch(ignoreNotFoundOrConflict);
    },

    async confirm(vmi) {
      const metadata = { labels: { [OUTDATED_LABEL]: null } };
      const status = { launcherContainerImageVersion: LAUNCHER_IMAGE };
      await client.of(Vmi).patchExactly(vmi, { metadata, status }).catch(ignoreNotFoundOrConflict);
    },
  };
}
