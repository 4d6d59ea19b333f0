import { isDeleting, Namespace, Node, Pod } from '@vireo/api';
import { BACKUP_WORK_SELECTOR, backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import type { CurrentTarget } from '../backuptarget/currentTarget.ts';
import { Content, contentNameOf, Snapshot } from '../snapshot/kinds.ts';
import { backupActions, snapshotNameOf } from './act.ts';
import { type BackupParts, reconcileBackup } from './reconcile.ts';
import { removeStray } from './remove.ts';
import { hasStopped, workedForKey, workedForUid } from './worker.ts';

export interface BackupContext extends ControllerContext {
  readonly current: CurrentTarget;
}

/** Backs up VMs as Harvester's API asks for: to the backup target, or as snapshots. */
export async function startBackupController(context: BackupContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, current, clock = systemClock } = context;
  const backups = informers.for(HarvesterBackup);
  const snapshots = informers.for(Snapshot);
  const contents = informers.for(Content);
  const volumeSnapshots = informers.for(VolumeSnapshot);
  const volumeContents = informers.for(VolumeSnapshotContent);
  const vms = informers.for(Vm);
  const namespaces = informers.for(Namespace);
  const pods = informers.for(Pod, { labelSelector: BACKUP_WORK_SELECTOR });
  const nodes = informers.for(Node);
  const act = backupActions(client);
  const parts: BackupParts = { act, current, recorder, backups: () => backups.list() };
  const isUploader = (pod: Pod): boolean => backupWorkOf(pod)?.operation === 'upload';
  const stoppingOn = ({ metadata }: Node): string[] =>
    pods
      .list()
      .filter((pod) => isDeleting(pod) && isUploader(pod) && pod.spec?.nodeName === metadata.name)
      .flatMap((pod) => workedForKey(pod) ?? []);

  await runController(
    {
      name: 'vmbackup',
      concurrency: 4,
      for: backups,
      owns: [snapshots],
      watches: [watch(pods, (pod) => (isUploader(pod) ? workedForKey(pod) : undefined)), watch(nodes, stoppingOn)],
      reads: [contents, volumeSnapshots, volumeContents, vms, namespaces],
      sources: [
        (queue) =>
          current.onUsable(() => {
            // What has failed or is deleted may still have data there.
            for (const backup of backups.list())
              if (!backup.status?.readyToUse || isDeleting(backup)) queue.add(keyOf(backup));
          }),
      ],
      reconcile: async (key) => {
        const backup = backups.get(key);
        const own = pods.list().filter((pod) => isUploader(pod) && workedForKey(pod) === key);
        // Of a backup that is gone, or of an earlier one of that name.
        const strays = own.filter((pod) => workedForUid(pod) !== backup?.metadata.uid);
        const isStopped = (pod: Pod): boolean =>
          isDeleting(pod) && hasStopped(pod, nodes.get(pod.spec?.nodeName ?? ''));
        for (const pod of strays) if (!isDeleting(pod)) await act.deletePod(pod);
        if (strays.every(isStopped)) for (const pod of strays) await removeStray(pod, parts);
        for (const pod of own.filter(isStopped)) await act.releasePod(pod);
        // What an earlier one still writes would be in the way of what this one does.
        if (!backup || strays.length > 0) return undefined;
        const { namespace } = backup.metadata;
        const snapshot = snapshots.get(`${namespace}/${snapshotNameOf(backup)}`);
        const home = namespaces.get(namespace ?? '');
        return reconcileBackup(
          {
            backup,
            vm: vms.get(`${namespace}/${backup.spec.source.name}`),
            snapshot,
            content: snapshot && contents.get(`${namespace}/${contentNameOf(snapshot)}`),
            lookup: {
              volumeSnapshot: (name) => volumeSnapshots.get(`${namespace}/${name}`),
              content: (name) => volumeContents.get(name),
            },
            pods: own.filter((pod) => workedForUid(pod) === backup.metadata.uid),
            hasNode: (name) => nodes.get(name) !== undefined,
            isNamespaceTerminating: home !== undefined && isDeleting(home),
            now: new Date(clock.now()),
          },
          parts,
        );
      },
    },
    context,
    signal,
  );
}
