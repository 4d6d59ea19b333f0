import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { clusterConfig } from '../clusterConfig.ts';
import { convertDomain } from '../convert/convertDomain.ts';
import { ConversionError } from '../convert/error.ts';
import { applyVmiDefaults } from '../defaults/index.ts';
import { hypervisorLabels } from '../labels.ts';
import { resolveAdmission, resolveLabeller, resolveRuntime } from '../registries.ts';
import { launcherResources } from '../resources.ts';
import { validateVmi } from '../validation/index.ts';

const UUID = '6a1a24a1-4061-4607-8bf4-a3963d0c5895';

const small: VirtualMachineInstance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { namespace: 'default', name: 'tried-out', uid: UUID },
  spec: { domain: { memory: { guest: '64Mi' }, devices: { autoattachPodInterface: false } } },
};

/** Takes a small VMI through every contract of a hypervisor, as the server will; throws what they throw. */
export function tryOut(hypervisor: string): void {
  const config = { ...clusterConfig(undefined), hypervisor };
  const vmi = applyVmiDefaults(small, config, { randomUuid: () => UUID, now: '2026-01-01T00:00:00Z' });
  resolveAdmission(config, 'amd64')?.validate?.(vmi.spec, 'spec', config);
  validateVmi(vmi, config);
  launcherResources(vmi, config);
  resolveRuntime(hypervisor, false, 'amd64').memlockBytes(vmi, 0n);
  hypervisorLabels(hypervisor, resolveLabeller(hypervisor, false), {
    architecture: 'amd64',
    machineTypes: [],
    cpuModels: [],
    cpuFeatures: [],
  });
  try {
    convertDomain(vmi, {
      hypervisor,
      architecture: 'amd64',
      useEmulation: false,
      domainUuid: UUID,
      volumes: {},
      interfaces: {},
      paths: { serialSocket: '/run/serial', vncSocket: '/run/vnc' },
    });
  } catch (error) {
    // It may run nothing of this kind, and says so.
    if (!(error instanceof ConversionError)) throw error;
  }
}
