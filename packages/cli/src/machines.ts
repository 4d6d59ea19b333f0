import { join } from 'node:path';
import type { ApiServer, Step } from '@vireo/apiserver';
import { Archives } from '@vireo/extension';
import { loadPlugins } from '@vireo/hypervisor/plugins/index.ts';
import { consoleLog } from '@vireo/kube';
import { type KvmProbe, probeKvm, startHypervisor, startNode } from '@vireo/node';
import { hostFiles } from './commands/supportBundle/hostFiles.ts';
import { startControlPlane } from './controlPlane.ts';

export interface MachinesOptions {
  readonly home: string;
  /** Where the guest image that Vireo builds is kept. */
  readonly imageCache: string;
  /** How many nodes that run stub machines only stand beside this host. */
  readonly simulatedNodes?: number;
  /** Where the extension listens for the front proxy of another server; missing: nowhere. */
  readonly extensionPort?: number;
  /** Told whether KVM runs the guests, or why not. */
  readonly onKvm: (kvm: KvmProbe) => void;
}

/**
 * Machines on the embedded server: KubeVirt's kinds, their admission and subresources, the controllers, and this host
 * as a node. Each part is a client with its own identity, as on a cluster. Guests go on when it ends.
 */
export const withMachines =
  (options: MachinesOptions) =>
  async (api: ApiServer, step: Step, port: number): Promise<() => Promise<void>> => {
    const stopping = new AbortController();
    try {
      return await startMachines(options, stopping, api, step, port);
    } catch (error) {
      // What runs already would go on writing to a server that is closed.
      stopping.abort();
      throw error;
    }
  };

async function startMachines(
  { home, imageCache, simulatedNodes = 0, extensionPort, onKvm }: MachinesOptions,
  stopping: AbortController,
  api: ApiServer,
  step: Step,
  port: number,
): Promise<() => Promise<void>> {
  const { signal } = stopping;
  const kvm = await step('Trying hardware virtualization', probeKvm);
  onKvm(kvm);
  for (const { plugin, problem } of await loadPlugins(home)) {
    if (problem) consoleLog.warn('a hypervisor plug-in is not used', undefined, { plugin, problem });
  }
  // Its first start takes seconds, in which the server can get ready. Whoever needs it hears of a failure.
  const hypervisor = startHypervisor(home, consoleLog);
  hypervisor.catch(() => {});
  const plane = await startControlPlane(
    {
      useEmulation: !kvm.isUsable,
      port,
      support: {
        archives: new Archives(join(home, 'upgradelogs')),
        hostFiles: (problems) => hostFiles(home, problems),
      },
      ...(extensionPort !== undefined && { listener: { home, port: extensionPort } }),
    },
    api,
    step,
    signal,
  );
  const node = await step('Starting the node', () =>
    startNode({ home, client: plane.nodeClient, kvm, hypervisor, imageCache, metrics: plane.nodeMetrics }, signal),
  );
  plane.addNode(node.name, node.api, node.connection());
  api.health.add('node', () => node.problem());
  const simulation =
    simulatedNodes > 0
      ? await step(`Simulating ${simulatedNodes} nodes`, () => plane.simulate(simulatedNodes))
      : await plane.removeSimulated().then(() => undefined);
  return async () => {
    stopping.abort();
    await Promise.all([plane.ended, node.ended, simulation?.ended]);
  };
}
