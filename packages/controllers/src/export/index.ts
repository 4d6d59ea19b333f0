import { type KubeObject, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { exportActions } from './act.ts';
import { reconcileExport } from './reconcile.ts';
import type { ExportLookup } from './source.ts';
import { writtenClaims } from './users.ts';

export interface ExportContext extends ControllerContext {
  /** Address of the server that serves exports; undefined where nobody does. */
  readonly url?: string;
}

/** Offers disks of claims, VMs and snapshots for download, while nobody writes to them and until their time is up. */
export async function startExportController(context: ExportContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, url, clock = systemClock } = context;
  const exports = informers.for(VirtualMachineExport, { indexes: { exportNamespace: inNamespace } });
  const claims = informers.for(PersistentVolumeClaim);
  const vms = informers.for(Vm, { indexes: { memoryDumpClaim: dumpClaims } });
  const vmis = informers.for(Vmi, { indexes: { claimWritten: writtenClaims } });
  const snapshots = informers.for(VirtualMachineSnapshot);
  const contents = informers.for(VirtualMachineSnapshotContent);
  const volumeSnapshots = informers.for(VolumeSnapshot);
  const act = exportActions(client, recorder);
  const beside = ({ metadata }: KubeObject): string[] =>
    exports.byIndex('exportNamespace', metadata.namespace ?? '').map(keyOf);
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
      for: exports,
      // Exports are few and short-lived: whatever changes around one, it is reconciled.
      watches: [watch([claims, vms, vmis, snapshots, contents], beside)],
      reads: [volumeSnapshots],
      reconcile: async (key) => {
        const exported = exports.get(key);
        if (!exported) return undefined;
        const { namespace = '' } = exported.metadata;
        const hasDump = (claim: string): boolean => vms.byIndex('memoryDumpClaim', `${namespace}/${claim}`).length > 0;
        const now = new Date(clock.now());
        return reconcileExport({ exported, lookup: lookupIn(namespace), url, hasDump, now }, act);
      },
    },
    context,
    signal,
  );
}

const inNamespace = ({ metadata }: Persisted<VirtualMachineExport>): string[] => [metadata.namespace ?? ''];

/** The claims that dumps of a VM's memory are written to. */
function dumpClaims({ metadata, spec, status }: Vm): string[] {
  const names = (spec.template.spec?.volumes ?? []).flatMap(({ memoryDump }) => memoryDump?.claimName ?? []);
  const requested = status?.memoryDumpRequest?.claimName;
  return [...new Set([...names, ...(requested ? [requested] : [])])].map((name) => `${metadata.namespace}/${name}`);
}
