import { groupVersion, type OwnerReference, type Persisted, Secret } from '@vireo/api';
import { keyPairsOf } from '@vireo/api/kinds/harvester/keyPair.ts';
import { STORAGE_CLASS_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Client, ignoreNotFoundOrConflict } from '@vireo/kube';
import type { KeptVm } from './keptVm.ts';

export interface NewTemplate {
  readonly vm: Vm;
  readonly kept: KeptVm;
  readonly version: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly dryRun: boolean;
  readonly client: Client;
}

/** Makes a template, its first version, and what that needs. If one of them fails, what was made is deleted again. */
export async function makeTemplate(parts: NewTemplate): Promise<void> {
  const { vm, name, description, dryRun, client } = parts;
  const { namespace } = vm.metadata;
  const template = await client
    .of(HarvesterTemplate)
    .create({ metadata: { name, namespace }, spec: { ...(description && { description }) } }, { dryRun });
  // What follows refers to a template that a dry run does not make.
  if (dryRun) return;
  let version: Persisted<VirtualMachineTemplateVersion> | undefined;
  try {
    version = await createVersion(parts);
    await createParts(parts, version);
  } catch (error) {
    // The template first: its default version cannot be deleted while it is there. What the version owns goes with it.
    await client.of(HarvesterTemplate).deleteExactly(template).catch(ignoreNotFoundOrConflict);
    if (version) await client.of(VirtualMachineTemplateVersion).deleteExactly(version).catch(ignoreNotFoundOrConflict);
    throw error;
  }
}

const createVersion = ({ vm, kept, version, name, client }: NewTemplate) => {
  const { namespace, name: source } = vm.metadata;
  const keyPairIds = keyPairsOf(vm.spec.template);
  return client.of(VirtualMachineTemplateVersion).create({
    metadata: { name: version, namespace },
    spec: {
      templateId: `${namespace}/${name}`,
      description: `Template derived from virtual machine [${namespace}/${source}]`,
      ...(keyPairIds.length > 0 && { keyPairIds }),
      vm: kept.vm,
    },
  });
};

async function createParts(
  { vm, kept, client }: NewTemplate,
  version: Persisted<VirtualMachineTemplateVersion>,
): Promise<void> {
  const { namespace } = vm.metadata;
  const ownerReferences = [ownerOf(version)];
  for (const { from, to } of kept.secrets) {
    const { data, type } = await client.of(Secret).get(from, { namespace });
    await client.of(Secret).create({
      metadata: { name: to, namespace, ownerReferences },
      ...(data && { data }),
      ...(type && { type }),
    });
  }
  for (const { image, claim } of kept.disks) {
    const { storageClassName } = claim.spec ?? {};
    await client.of(VirtualMachineImage).create({
      metadata: {
        name: image,
        namespace,
        ownerReferences,
        ...(storageClassName && { annotations: { [STORAGE_CLASS_NAME]: storageClassName } }),
      },
      spec: {
        displayName: image,
        sourceType: 'export-from-volume',
        pvcName: claim.metadata.name,
        pvcNamespace: namespace,
        ...(storageClassName && { targetStorageClassName: storageClassName }),
      },
    });
  }
}

const ownerOf = ({ metadata }: Persisted<VirtualMachineTemplateVersion>): OwnerReference => {
  const { group, version, kind } = VirtualMachineTemplateVersion;
  return { apiVersion: groupVersion(group, version), kind, name: metadata.name, uid: metadata.uid };
};
