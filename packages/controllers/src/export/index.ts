import { type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { Vm, Vmi } from '../kinds.ts';
import { exportActions } from './act.ts';
import { reconcileExport } from './reconcile.ts';
import type { ExportLookup } from './source.ts';
import { claimsWritten } from './users.ts';

export interface ExportContext extends ControllerContext {
  /** Address of the server that serves exports; undefined where nobody does. */
  readonly url?: string;
}

/** Offers disks of claims, machines and snapshots for download, while nobody writes to them and until their time is up. */
export async function startExportController(context: ExportContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, url, clock = systemClock } = context;
  const exports = informers.for(VirtualMachineExport, { indexes: { exportNamespace: inNamespace } });
  const claims = informers.for(PersistentVolumeClaim);
  const vms = informers.for(Vm, { indexes: { memoryDumpClaim: dumpClaims } });
  const vmis = informers.for(Vmi, { indexes: { claimWritten: claimsWritten } });
  const snapshots = informers.for(VirtualMachineSnapshot);
  const contents = informers.for(VirtualMachineSnapshotContent);
  const volumeSnapshots = informers.for(VolumeSnapshot);
  const queue = new WorkQueue({ clock });
  const act = exportActions(client, recorder);
  exports.on(enqueueKey(queue));
  exports.on({ deleted: (exported) => queue.cancelAfter(keyOf(exported)) });
  // Exports are few and short-lived: whatever changes around one, it is reconciled.
  const enqueueExports = ({ metadata }: KubeObject): void => {
    for (const exported of exports.byIndex('exportNamespace', metadata.namespace ?? '')) queue.add(keyOf(exported));
  };
  for (const informer of [claims, vms, vmis, snapshots, contents])
    informer.on({ added: enqueueExports, updated: (_, object) => enqueueExports(object), deleted: enqueueExports });

  const lookupIn = (namespace: string): ExportLookup => ({
    claim: (name) => claims.get(`${namespace}/${name}`),
    vm: (name) => vms.get(`${namespace}/${name}`),
    snapshot: (name) => snapshots.get(`${namespace}/${name}`),
    content: (name) => contents.get(`${namespace}/${name}`),
    volumeSnapshot: (name) => volumeSnapshots.get(`${namespace}/${name}`),
    writer: (claim) => vmis.byIndex('claimWritten', `${namespace}/${claim}`)[0],
  });

  await runController(
    {
      name: 'export',
      queue,
      informers: [exports, claims, vms, vmis, snapshots, contents, volumeSnapshots],
      log,
      metrics,
      reconcile: async (key) => {
        const exported = exports.get(key);
        if (!exported) return undefined;
        const { namespace = '' } = exported.metadata;
        const hasDump = (claim: string): boolean => vms.byIndex('memoryDumpClaim', `${namespace}/${claim}`).length > 0;
        const now = new Date(clock.now());
        return reconcileExport({ exported, lookup: lookupIn(namespace), url, hasDump, now }, act);
      },
    },
    signal,
  );
}

const inNamespace = ({ metadata }: VirtualMachineExport): string[] => [metadata.namespace ?? ''];

/** The claims that dumps of a machine's memory are written to. */
function dumpClaims({ metadata, spec, status }: Vm): string[] {
  const names = (spec.template.spec?.volumes ?? []).flatMap(({ memoryDump }) => memoryDump?.claimName ?? []);
  const requested = status?.memoryDumpRequest?.claimName;
  return [...new Set([...names, ...(requested ? [requested] : [])])].map((name) => `${metadata.namespace}/${name}`);
}
