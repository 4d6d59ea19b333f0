import { fieldError } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/** There is one installation, so there is one object of its settings. */
export const kubeVirtCreation: ValidatingRule<KubeVirt> = {
  type: 'validating',
  webhook: 'kubevirt-create-validator.kubevirt.io',
  path: '/kubevirt-validate-create',
  kinds: [KubeVirt],
  operations: ['CREATE'],
  async validate(_, { client }) {
    const [existing] = (await client.of(KubeVirt).list({ limit: 1 })).items;
    if (!existing) return ALLOWED;
    const { namespace, name } = existing.metadata;
    return { errors: [fieldError('', `KubeVirt is already created: ${namespace}/${name}`, 'FieldValueForbidden')] };
  },
};

export const kubeVirtDeletion: ValidatingRule<KubeVirt> = {
  type: 'validating',
  webhook: 'kubevirt-validator.kubevirt.io',
  path: '/kubevirt-validate-delete',
  kinds: [KubeVirt],
  operations: ['DELETE'],
  async validate({ object }, { client }) {
    if (object.spec?.uninstallStrategy !== 'BlockUninstallIfWorkloadsExist') return ALLOWED;
    const what = await firstWorkload(client);
    if (!what) return ALLOWED;
    const text = `spec.uninstallStrategy is BlockUninstallIfWorkloadsExist, but VMs still exist, such as ${what}`;
    return { errors: [fieldError('spec.uninstallStrategy', text, 'FieldValueForbidden')] };
  },
};

async function firstWorkload(client: Client): Promise<string | undefined> {
  for (const kind of [VirtualMachineInstance, VirtualMachine]) {
    const [first] = (await client.of(kind).list({ limit: 1 })).items;
    if (first) return `${kind.kind} ${first.metadata.namespace}/${first.metadata.name}`;
  }
  return undefined;
}
