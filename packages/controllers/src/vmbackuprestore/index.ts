import { isDeleting, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@vireo/api';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { BACKUP_WORK_SELECTOR, backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import {
  backupKeyOf,
  HarvesterRestore,
  isRestoreUnfinished,
} from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, keyOf, parseKey, runController, systemClock, watch } from '@vireo/kube';
import type { CurrentTarget } from '../backuptarget/currentTarget.ts';
import { workedForKey, workedForUid } from '../vmbackup/worker.ts';
import { backupRestoreActions } from './act.ts';
import { restoreHolding } from './holder.ts';
import { RESTORE_NAME } from './plan.ts';
import { reconcileBackupRestore } from './reconcile.ts';
import { claimsNamedBy } from './restoredVm.ts';

export interface BackupRestoreContext extends ControllerContext {
  readonly current: CurrentTarget;
}

/** Makes VMs of backups as Harvester's API asks for: new ones, or in place of those that are there. */
export async function startBackupRestoreController(context: BackupRestoreContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, current, clock = systemClock } = context;
  const restores = informers.for(HarvesterRestore);
  const backups = informers.for(HarvesterBackup);
  const vms = informers.for(Vm, { indexes: { heldByBackupRestore, restoredClaim: claimKeys } });
  const vmis = informers.for(Vmi);
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const pods = informers.for(Pod, { labelSelector: BACKUP_WORK_SELECTOR });
  const act = backupRestoreActions(client);
  const isRestorer = (pod: Pod): boolean => backupWorkOf(pod)?.operation === 'restore';
  const atWork = (isMeant: (restore: HarvesterRestore) => boolean): string[] =>
    restores
      .list()
      .filter((each) => isRestoreUnfinished(each) && isMeant(each))
      .map(keyOf);

  await runController(
    {
      name: 'vmbackuprestore',
      concurrency: 4,
      for: restores,
      watches: [
        watch(pods, (pod) => (isRestorer(pod) ? workedForKey(pod) : undefined)),
        watch(claims, ({ metadata }) => {
          const name = metadata.annotations?.[RESTORE_NAME];
          return name ? `${metadata.namespace}/${name}` : undefined;
        }),
        watch(vms, (vm) => atWork(({ metadata, spec }) => `${metadata.namespace}/${spec.target.name}` === keyOf(vm))),
        watch(vms, { changed: heldByBackupRestore }),
        watch(backups, (backup) => atWork((restore) => backupKeyOf(restore) === keyOf(backup))),
      ],
      reads: [vmis, volumes, classes, profiles],
      sources: [
        (queue) =>
          current.onUsable(() => {
            for (const key of atWork(() => true)) queue.add(key);
          }),
      ],
      reconcile: async (key) => {
        const restore = restores.get(key);
        const own = pods.list().filter((pod) => isRestorer(pod) && workedForKey(pod) === key);
        for (const pod of own)
          if (workedForUid(pod) !== restore?.metadata.uid && !isDeleting(pod)) await act.remove(Pod, pod);
        if (!restore) {
          // Somebody took our finalizer off: nobody else will let go of the VMs that it holds.
          const { namespace, name } = parseKey(key);
          for (const vm of vms.byIndex('heldByBackupRestore', key))
            if (!(await client.of(HarvesterRestore).find(name, { namespace }))) await act.unlock(vm, name);
          return undefined;
        }
        const { namespace } = restore.metadata;
        const target = `${namespace}/${restore.spec.target.name}`;
        return reconcileBackupRestore(
          {
            restore,
            backup: backups.get(backupKeyOf(restore)),
            vm: vms.get(target),
            vmi: vmis.get(target),
            pods: own.filter((pod) => workedForUid(pod) === restore.metadata.uid),
            storage: { classes: classes.list(), profile: (name) => profiles.get(name) },
            claim: (name) => claims.get(`${namespace}/${name}`),
            volume: (name) => volumes.get(name),
            storageClass: (name) => classes.get(name),
            isNamedByOthers: (name) =>
              vms.byIndex('restoredClaim', `${namespace}/${name}`).some((vm) => keyOf(vm) !== target),
            now: new Date(clock.now()),
          },
          { act, current, recorder },
        );
      },
    },
    context,
    signal,
  );
}

/** For indexes: the restore that has hold of a VM. */
function heldByBackupRestore({ metadata, status }: Vm): string[] {
  const name = restoreHolding(status?.restoreInProgress);
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}

/** For indexes: the claims that a VM names. */
const claimKeys = (vm: Vm): string[] => claimsNamedBy(vm).map((name) => `${vm.metadata.namespace}/${name}`);
