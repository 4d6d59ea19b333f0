import { conditionOf } from '@vireo/api';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { NAMESPACE } from './cluster.ts';
import { at, source, type useSnapshots } from './snapshots.ts';

/** What tests do with backups on a server that `useSnapshots` starts. */
export function backupsOf({ admin, until }: Pick<ReturnType<typeof useSnapshots>, 'admin' | 'until'>) {
  async function setTarget(path: string | undefined): Promise<void> {
    const value = path === undefined ? '' : JSON.stringify({ type: 'directory', endpoint: `file://${path}` });
    await until<Setting>(Setting, BACKUP_TARGET_SETTING, () => true);
    await admin().of(Setting).patch(BACKUP_TARGET_SETTING, { value }, { type: 'merge' });
    const expected = path === undefined ? 'False' : 'True';
    await until<Setting>(
      Setting,
      BACKUP_TARGET_SETTING,
      (setting) => conditionOf(setting, 'configured')?.status === expected,
    );
  }
  const hasFailed = (object: HarvesterBackup | HarvesterRestore): boolean =>
    conditionOf(object, 'InProgress')?.reason === 'Error';
  const backup = (name: string, fits: (object: HarvesterBackup) => boolean) =>
    until<HarvesterBackup>(HarvesterBackup, name, fits);
  return {
    setTarget,
    backup,
    backUp: (name: string, vm: string, spec: Partial<HarvesterBackup['spec']> = {}) =>
      admin()
        .of(HarvesterBackup)
        .create({ metadata: { name, ...at }, spec: { source: source(vm), type: 'backup', ...spec } }),
    ready: (name: string) => backup(name, ({ status }) => status?.readyToUse === true),
    failed: (name: string) => backup(name, hasFailed),
    restore: (
      name: string,
      target: string,
      spec: Partial<HarvesterRestore['spec']>,
      { namespace }: { readonly namespace: string } = at,
    ) =>
      admin()
        .of(HarvesterRestore)
        .create({
          metadata: { name, namespace },
          spec: {
            target: source(target),
            virtualMachineBackupName: '',
            virtualMachineBackupNamespace: NAMESPACE,
            ...spec,
          },
        }),
    restored: (name: string) => until<HarvesterRestore>(HarvesterRestore, name, ({ status }) => !!status?.complete),
    restoreFailed: (name: string) => until<HarvesterRestore>(HarvesterRestore, name, hasFailed),
  };
}
