import { type KubeObject, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { restoredClaimName } from '@vireo/api/kinds/export/names.ts';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { type ClusterConfig, expandVm, findInstancetypeAndPreference, MatcherError } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import { serverLookup } from '../instancetypes/lookup.ts';
import { type ExportedDisk, importManifests } from './manifests.ts';
import { ExportRefusal } from './refusal.ts';

export interface ManifestContext {
  readonly client: Client;
  readonly config: () => Promise<ClusterConfig>;
}

/** The objects that make the VM of an export anew for whoever reaches it this `way`. */
export async function manifestsOfExport(
  exported: Persisted<VirtualMachineExport>,
  way: 'internal' | 'external',
  { client, config }: ManifestContext,
): Promise<KubeObject[]> {
  const links = exported.status?.links?.[way];
  if (!links) throw new ExportRefusal(404, `the export has no ${way} links`);
  const { vm, disks } =
    exported.spec.source.kind === VirtualMachineSnapshot.kind
      ? await ofSnapshot(exported, client)
      : await ofVm(exported, client);
  try {
    const { types } = await findInstancetypeAndPreference(vm, serverLookup(client));
    const expanded = vm.spec.instancetype || vm.spec.preference ? expandVm(vm, types, await config()).vm : vm;
    return importManifests(exported, expanded, disks, links);
  } catch (error) {
    if (error instanceof MatcherError) throw new ExportRefusal(409, error.message);
    throw error;
  }
}

interface Exported {
  readonly vm: VirtualMachine;
  readonly disks: readonly ExportedDisk[];
}

async function ofVm({ metadata, spec }: VirtualMachineExport, client: Client): Promise<Exported> {
  const at = { namespace: metadata.namespace };
  const vm = await client.of(VirtualMachine).get(spec.source.name, at);
  const names = (vm.spec.template.spec?.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? []);
  const disks = await Promise.all(
    [...new Set(names)].map(async (claim) => {
      const { spec: wanted, status } = await client.of(PersistentVolumeClaim).get(claim, at);
      return { claim, volume: claim, storage: storageOf(wanted, status?.capacity?.storage) };
    }),
  );
  return { vm, disks };
}

async function ofSnapshot({ metadata, spec }: Persisted<VirtualMachineExport>, client: Client): Promise<Exported> {
  const { namespace, name } = metadata;
  const at = { namespace };
  const { status } = await client.of(VirtualMachineSnapshot).get(spec.source.name, at);
  const contentName = status?.virtualMachineSnapshotContentName ?? '';
  const { spec: content } = await client.of(VirtualMachineSnapshotContent).get(contentName, at);
  const { metadata: was, spec: wanted } = content.source.virtualMachine ?? {};
  if (!wanted) throw new ExportRefusal(404, `VirtualMachineSnapshot ${spec.source.name} holds no VM`);
  const disks = (content.volumeBackups ?? []).map(({ persistentVolumeClaim }) => {
    const claim = persistentVolumeClaim.metadata?.name ?? '';
    return { claim, volume: restoredClaimName(name, claim), storage: storageOf(persistentVolumeClaim.spec) };
  });
  const apiVersion = `${VirtualMachine.group}/${VirtualMachine.version}`;
  return { vm: { apiVersion, kind: VirtualMachine.kind, metadata: { ...was, namespace }, spec: wanted }, disks };
}

type Wanted = {
  readonly [K in 'accessModes' | 'resources' | 'volumeMode']?: NonNullable<PersistentVolumeClaim['spec']>[K];
};

/** What a claim asks for wherever it is: which class there is, its new home knows. */
function storageOf(wanted: Wanted | undefined, capacity?: string | number): ExportedDisk['storage'] {
  const { accessModes, resources, volumeMode } = wanted ?? {};
  return {
    ...(accessModes && { accessModes: [...accessModes] }),
    ...(volumeMode === 'Block' && { volumeMode }),
    resources: { requests: { storage: capacity ?? resources?.requests?.storage ?? '1Gi' } },
  };
}
