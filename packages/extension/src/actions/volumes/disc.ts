import { field, invalid, isDeleting, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { AddVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import type { Client } from '@vireo/kube';
import type { Refuse } from './spec.ts';

/** What inserting a disc looks up, beside the VM. */
export const DISC_NEEDS = [
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
  { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes'], verbs: ['get'] },
];

/** Refuses a disc that is not there, or that another VM writes to. */
export async function requireDisc(
  client: Client,
  { metadata }: Pick<KubeObject, 'metadata'>,
  { volumeSource }: AddVolumeOptions,
  refuse: Refuse,
): Promise<void> {
  const { namespace = '', name: vm } = metadata;
  const { persistentVolumeClaim, dataVolume } = volumeSource;
  const path = persistentVolumeClaim ? 'volumeSource.persistentVolumeClaim.claimName' : 'volumeSource.dataVolume.name';
  const wrong = (error: ReturnType<typeof field.required>) => invalid('', 'AddVolumeOptions', '', [error]);
  const name = claimNameOf(volumeSource);
  if (Boolean(persistentVolumeClaim) === Boolean(dataVolume) || !name)
    throw wrong(field.required('volumeSource', 'name either a persistentVolumeClaim or a dataVolume'));
  if (name.includes('/'))
    throw wrong(
      field.invalid(path, name, `the disc must be in the VM's namespace, ${namespace}; use a name without a slash`),
    );
  const [why] = dnsSubdomain(name);
  if (why) throw wrong(field.invalid(path, name, why));
  const kind = persistentVolumeClaim ? PersistentVolumeClaim : DataVolume;
  const found = await client.of<KubeObject>(kind).find(name, { namespace });
  if (!found) {
    const { type, field: at, text } = field.notFound(path, name);
    throw wrong({ type, field: at, text: `${text}: there is no ${kind.kind} ${name} in namespace ${namespace}` });
  }
  if (isDeleting(found)) throw refuse(`${kind.kind} [${name}] is being deleted`);
  const { items } = await client.of(VirtualMachineInstance).list({ namespace });
  const writer = items.find((vmi) => vmi.metadata.name !== vm && !isFinal(vmi) && writesTo(vmi, name));
  if (writer)
    throw refuse(
      `Unable to add volume source [${name}]: VirtualMachineInstance ${writer.metadata.name} uses it as a disk, ` +
        'and the contents of a disc must not change while it is inserted; stop that VM or detach the disk first',
    );
}

/** Whether a VMI has a claim as a disk that it can write to. */
function writesTo({ spec }: VirtualMachineInstance, claim: string): boolean {
  const drives = spec.domain.devices?.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name) ?? [];
  return (spec.volumes ?? []).some(
    (volume) =>
      claimNameOf(volume) === claim && !drives.includes(volume.name) && !volume.persistentVolumeClaim?.readOnly,
  );
}
