import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import type { KubeVirtConfiguration } from '@vireo/api/kinds/kubevirt/kubeVirtConfiguration.ts';
import { describe, expect, it } from 'vitest';
import { hypervisorChoice } from './hypervisorChoice.ts';
import type { AdmissionContext } from './rule.ts';

const kubevirt = (configuration: KubeVirtConfiguration): KubeVirt => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { namespace: 'kubevirt', name: 'kubevirt' },
  spec: { configuration },
});
const open = { developerConfiguration: { featureGates: ['ConfigurableHypervisor'] } };
const user = { username: 'jane', groups: [] };

/** The rule looks at nothing but the write. */
const judge = (configuration: KubeVirtConfiguration, before?: KubeVirtConfiguration) =>
  hypervisorChoice.validate(
    {
      operation: before ? 'UPDATE' : 'CREATE',
      object: kubevirt(configuration),
      oldObject: before && kubevirt(before),
      user,
    },
    {} as AdmissionContext,
  );

describe('the hypervisor of the installation', () => {
  it.each(['kvm', 'qemu', 'hyperv-layered', 'mshv', 'hyperv-direct', 'stub'])('may be %s', async (name) => {
    expect(await judge({ ...open, hypervisorConfiguration: { name } })).toEqual({ errors: [], warnings: [] });
    expect(await judge({ ...open, hypervisors: [{ name }] })).toEqual({ errors: [], warnings: [] });
  });

  it.each<[KubeVirtConfiguration, string]>([
    [{ ...open, hypervisorConfiguration: { name: 'xen' } }, 'spec.configuration.hypervisorConfiguration.name'],
    [{ hypervisors: [{ name: 'xen' }] }, 'spec.configuration.hypervisors[0].name'],
  ])('is one that there is: %j', async (configuration, field) => {
    const text = `${field}: unknown hypervisor "xen"; choose one of kvm, qemu, hyperv-layered, mshv, hyperv-direct, stub`;
    expect((await judge(configuration)).errors).toEqual([{ type: 'FieldValueNotSupported', field, text }]);
  });

  it('keeps a name whose plug-in is gone', async () => {
    const gone = { ...open, hypervisorConfiguration: { name: 'gone' } };
    expect((await judge({ ...gone, cpuModel: 'Haswell' }, gone)).errors).toEqual([]);
  });

  it('warns that the gate is closed, and that running VMs stay as they are', async () => {
    const asked = { hypervisorConfiguration: { name: 'stub' } };
    expect((await judge(asked)).warnings).toEqual([
      'spec.configuration.hypervisorConfiguration.name is ignored: the feature gate ConfigurableHypervisor is not enabled',
    ]);
    expect((await judge({ ...asked, ...open }, asked)).warnings).toEqual([
      'new VMs run on stub; running VMs keep their hypervisor until they are restarted',
    ]);
    expect((await judge(asked, { ...asked, ...open })).warnings).toContain(
      'new VMs run on kvm; running VMs keep their hypervisor until they are restarted',
    );
  });
});
