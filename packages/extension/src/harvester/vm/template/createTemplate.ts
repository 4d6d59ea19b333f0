import { field, type Infer, isDeleting, PersistentVolumeClaim, Secret } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { boolean, string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { Targets } from '../../../actions/action.ts';
import { vmConflict } from '../../../actions/refusals.ts';
import { harvesterAction } from '../../action.ts';
import { invalidInput } from '../../input.ts';
import { expectUnused, expectWhole, LIST_VMIS } from '../../pvc/states.ts';
import { keptVm } from './keptVm.ts';
import { makeTemplate } from './make.ts';
import { versionName } from './names.ts';

const CreateTemplateInput = struct('io.harvesterhci.v1beta1.CreateTemplateInput', 'Options for a template of a VM.', {
  name: required(string, 'Name of the VirtualMachineTemplate, in the namespace of the VM.'),
  description: optional(string, 'Description of the template for users.'),
  withData: optional(boolean, "Whether the VM's disks are kept as images. The VM must be stopped for it."),
});
interface CreateTemplateInput extends Infer<typeof CreateTemplateInput> {}

/** Why no template of a VM can be made now; undefined when one can. */
function problemOf({ vm, vmi }: Targets['virtualmachines']): string | undefined {
  if (isDeleting(vm)) return 'it is being deleted';
  if (vmi && isDeleting(vmi)) return 'it is being stopped';
  const phase = vmi?.status?.phase ?? '';
  return vmi && !['Running', 'Succeeded'].includes(phase) ? `its VMI is ${phase || 'starting'}` : undefined;
}

export const createTemplate = harvesterAction('virtualmachines')<CreateTemplateInput>({
  name: 'createTemplate',
  method: 'PUT',
  minimumRole: 'edit',
  summary:
    'Creates a VirtualMachineTemplate of the VM, with its first version; with `withData`, its disks become images.',
  body: CreateTemplateInput,
  needs: [
    ...LIST_VMIS,
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] },
    {
      apiGroups: [HarvesterTemplate.group],
      resources: [HarvesterTemplate.plural, VirtualMachineTemplateVersion.plural],
      verbs: ['create', 'delete'],
    },
    { apiGroups: [VirtualMachineImage.group], resources: [VirtualMachineImage.plural], verbs: ['create'] },
  ],
  isListed: (target) => problemOf(target) === undefined,
  async act(target, { body: { name, description, withData } }, { client, dryRun }) {
    const { vm } = target;
    const why = problemOf(target);
    if (why) throw vmConflict(vm, why);
    const errors = dnsSubdomain(name).map((text) => field.invalid('name', name, text));
    if (errors.length > 0) throw invalidInput(CreateTemplateInput, errors);
    const version = versionName(name);
    const kept = keptVm(vm, version, withData ? await claimsToKeep(vm, client) : undefined);
    await expectSecrets(vm, kept.secrets, client);
    await makeTemplate({ vm, kept, version, name, description, dryRun, client });
    return undefined;
  },
});

/** The claims of a VM whose data can be copied now. */
async function claimsToKeep(vm: Vm, client: Client): Promise<Map<string, PersistentVolumeClaim>> {
  const { namespace } = vm.metadata;
  const claims = new Map<string, PersistentVolumeClaim>();
  for (const volume of vm.spec.template.spec?.volumes ?? []) {
    const name = claimNameOf(volume);
    if (name === undefined) continue;
    const claim = await client.of(PersistentVolumeClaim).find(name, { namespace });
    if (!claim) throw vmConflict(vm, `PersistentVolumeClaim "${name}" of volume "${volume.name}" does not exist`);
    expectWhole(claim);
    await expectUnused(client, claim, 'stop the VM first, or create the template without data');
    claims.set(name, claim);
  }
  return claims;
}

async function expectSecrets(vm: Vm, secrets: readonly { readonly from: string }[], client: Client): Promise<void> {
  for (const { from } of secrets)
    if (!(await client.of(Secret).find(from, { namespace: vm.metadata.namespace })))
      throw vmConflict(vm, `Secret "${from}", which it names, does not exist`);
}
