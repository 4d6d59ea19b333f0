import { useVms, type Vms } from '../vms/fixture.ts';

/** Has VMs run on simulated nodes, so that none has a guest. */
const CONFIGURATION = {
  hypervisorConfiguration: { name: 'stub' },
  developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
};

export interface SimulatedVms extends Vms {
  /** Turns the simulation on; once, before the first VM. */
  simulate(): Promise<void>;
}

/** A Vireo whose VMs are quick to make and cost nothing: for pages, which do not see the difference. */
export function useSimulatedVms(): SimulatedVms {
  const vms = useVms('--simulate-nodes', '2');
  return {
    ...vms,
    async simulate() {
      const patch = JSON.stringify({ spec: { configuration: CONFIGURATION } });
      await vms.kubectl.do(`patch kubevirt kubevirt -n kubevirt --type merge -p '${patch}'`);
      await vms.kubectl.do('wait nodes simulated-0 simulated-1 --for=condition=Ready --timeout=60s');
    },
  };
}
