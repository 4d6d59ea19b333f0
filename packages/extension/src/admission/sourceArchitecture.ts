import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { isArchitecture } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';

const LABEL = 'template.kubevirt.io/architecture';

/** A new VM that names no architecture, with that of the first image that a disk of it is made of. */
export async function withSourceArchitecture(vm: VirtualMachine, client: Client): Promise<VirtualMachine> {
  const { template, dataVolumeTemplates = [] } = vm.spec;
  if (!template?.spec || template.spec.architecture) return vm;
  for (const { spec } of dataVolumeTemplates) {
    const reference = (spec as DataVolume['spec']).sourceRef;
    if (reference?.kind !== 'DataSource') continue;
    const namespace = reference.namespace ?? vm.metadata.namespace;
    const architecture = await architectureOf(reference.name, namespace, client);
    if (!architecture) continue;
    return { ...vm, spec: { ...vm.spec, template: { ...template, spec: { ...template.spec, architecture } } } };
  }
  return vm;
}

/** An image that is not there yet says nothing. */
async function architectureOf(name: string, namespace = '', client: Client): Promise<string | undefined> {
  const source = await client.of(DataSource).find(name, { namespace });
  const label = source?.metadata.labels?.[LABEL] ?? '';
  return isArchitecture(label) ? label : undefined;
}
