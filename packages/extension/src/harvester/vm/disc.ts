import { isOwnedBy, type ObjectMeta, PersistentVolumeClaim } from '@vireo/api';
import { DISC, DISC_OF, IMAGE_ID } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { generateName } from '@vireo/api/names.ts';
import { type Client, type Draft, ignoreNotFoundOrConflict } from '@vireo/kube';
import { claimNames } from '../../actions/volumes/spec.ts';

const GIBIBYTE = 1024 ** 3;

/**
 * A disc of the VM's own: a claim that is made from an image, and says so, that it may be deleted again. It may take
 * a whole gibibyte more than the image, as in Harvester.
 */
export function newDisc(
  { metadata }: Vm,
  drive: string,
  { metadata: image, status }: VirtualMachineImage,
): Draft<PersistentVolumeClaim> {
  const bytes = Math.max(status?.virtualSize ?? 0, status?.size ?? 0, 1);
  const name = generateName(`${metadata.name}-${drive}-`);
  return {
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { [DISC_OF]: metadata.uid },
      annotations: { [IMAGE_ID]: `${image.namespace}/${image.name}`, [DISC]: `${drive}/${name}` },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      resources: { requests: { storage: `${Math.ceil(bytes / GIBIBYTE)}Gi` } },
      ...(status?.storageClassName && { storageClassName: status.storageClassName }),
    },
  };
}

/** Whether an action has made a claim for a drive of a VM. Claims without its marks are somebody's own. */
export const isDiscOf = (
  { name, labels, annotations }: Pick<ObjectMeta, 'name' | 'labels' | 'annotations'>,
  vm: Vm,
  drive: string,
): boolean => labels?.[DISC_OF] === vm.metadata.uid && annotations?.[DISC] === `${drive}/${name}`;

/** Whether two claims are made from one image. */
export const isOfSameImage = (
  a: { readonly metadata?: ObjectMeta | undefined },
  b: { readonly metadata?: ObjectMeta | undefined },
): boolean => a.metadata?.annotations?.[IMAGE_ID] === b.metadata?.annotations?.[IMAGE_ID];

/**
 * Deletes the discs that actions have made for a drive, and that no VM has any more: the one that was just taken
 * out, and what an eject has left that did not get to its end.
 */
export async function deleteDiscs(client: Client, vm: Vm, drive: string): Promise<void> {
  const { namespace, uid } = vm.metadata;
  const claims = client.of(PersistentVolumeClaim);
  const { items } = await claims.list({ namespace, labelSelector: `${DISC_OF}=${uid}` });
  const discs = items.filter(({ metadata }) => !metadata.deletionTimestamp && isDiscOf(metadata, vm, drive));
  if (discs.length === 0) return;
  const isLeaving = (vmi: VirtualMachineInstance, volume: string) => volume === drive && isOwnedBy(vmi, vm);
  const used = await claimUsers(client, namespace, { isLeaving });
  // Gone already, or another one has its name.
  for (const disc of discs)
    if (!used.has(disc.metadata.name)) await claims.deleteExactly(disc).catch(ignoreNotFoundOrConflict);
}

/**
 * The claims that VMs of a namespace have, running or not, each with the name of one of them. `isLeaving`: volumes
 * of VMIs that do not count, since they are about to go. `except`: the name of a VM that does not count.
 */
export async function claimUsers(
  client: Client,
  namespace: string | undefined,
  {
    except,
    isLeaving = () => false,
  }: {
    readonly except?: string;
    readonly isLeaving?: (vmi: VirtualMachineInstance, volume: string) => boolean;
  },
): Promise<Map<string, string>> {
  const [vms, vmis] = await Promise.all([
    client.of(VirtualMachine).list({ namespace }),
    client.of(VirtualMachineInstance).list({ namespace }),
  ]);
  const users = new Map<string, string>();
  const isOther = ({ metadata }: VirtualMachine | VirtualMachineInstance) => metadata.name !== except;
  for (const { metadata, spec } of vms.items.filter(isOther))
    for (const claim of claimNames(spec.template.spec?.volumes)) users.set(claim, metadata.name);
  for (const vmi of vmis.items.filter((each) => isOther(each) && !isFinal(each)))
    for (const claim of claimNames(vmi.spec.volumes?.filter(({ name }) => !isLeaving(vmi, name))))
      users.set(claim, vmi.metadata.name);
  return users;
}
