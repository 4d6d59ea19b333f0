import { join } from 'node:path';
import type { NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { type ApiServer, LOOPBACK, type Step } from '@vireo/apiserver';
import { Archives } from '@vireo/extension';
import { loadPlugins, type PluginReport, problemsOf } from '@vireo/hypervisor/plugins/index.ts';
import { Client, consoleLog } from '@vireo/kube';
import {
  type Hypervisor,
  hostName,
  type KvmProbe,
  leftRunning,
  type NetworkKind,
  probeKvm,
  shutDownNode,
  startHypervisor,
  startNode,
} from '@vireo/node';
import { hostFiles } from './commands/supportBundle/hostFiles.ts';
import { startControlPlane } from './controlPlane.ts';
import type { NodeNetwork } from './localNodes/plan.ts';
import { startLocalNodes } from './localNodes/run.ts';
import type { PodNetwork } from './podNetwork.ts';
import { version } from './version.ts';

export interface VirtualizationOptions {
  readonly home: string;
  /** Where the guest image that Vireo builds is kept. */
  readonly imageCache: string;
  /** How many nodes this host has, and where the others meet the first; missing: in the host's own network. */
  readonly localNodes?: { readonly count: number; readonly network: NodeNetwork | undefined };
  /** How many nodes that run stub VMs only stand beside this host. */
  readonly simulatedNodes?: number;
  /** Where the extension listens for the front proxy of another server; missing: nowhere. */
  readonly extension?: { readonly port: number; readonly host?: string };
  /** Whether the extension runs in a process of its own. */
  readonly isExtensionRemote?: boolean;
  /** What nodes have to know of the network. */
  readonly network?: NetworkConfig;
  readonly podNetwork: PodNetwork;
  /** The name of this host's node; missing: the host's. */
  readonly nodeName?: string;
  /** Told the name of this host's node, and what its guests get as pod network. */
  readonly onNode?: (name: string, network: NetworkKind) => void;
  /** Told whether KVM runs the guests, or why not. */
  readonly onKvm: (kvm: KvmProbe) => void;
  /** Told what became of the packages that bring hypervisors. */
  readonly onPlugins?: (reports: readonly PluginReport[]) => void;
}

/**
 * VMs on the embedded server: KubeVirt's kinds, their admission and subresources, the controllers, and this host
 * as a node. Each part is a client with its own identity, as on a cluster. Guests go on when it ends.
 */
export const withVirtualization =
  (options: VirtualizationOptions) =>
  async (api: ApiServer, step: Step, port: number): Promise<() => Promise<void>> => {
    const stopping = new AbortController();
    const { libvirtdPid } = await leftRunning(options.home);
    // Its first start takes seconds, in which the server can get ready. Whoever needs it hears of a failure.
    const hypervisor = startHypervisor(options.home, consoleLog);
    hypervisor.catch(() => {});
    try {
      return await startVirtualization(options, hypervisor, stopping, api, step, port);
    } catch (error) {
      // What runs already would go on writing to a server that is closed.
      stopping.abort();
      if (libvirtdPid === undefined) await endIdleLibvirtd(options.home, hypervisor);
      throw error;
    }
  };

/** Ends the daemon that a failed start has started, unless a guest needs it. */
async function endIdleLibvirtd(home: string, hypervisor: Promise<Hypervisor>): Promise<void> {
  try {
    // Whether it answers or not, nothing of it may stay.
    await hypervisor.catch(() => {});
    const { guests } = await leftRunning(home);
    if (guests.length === 0) await shutDownNode(home);
  } catch (error) {
    consoleLog.warn('libvirtd cannot be stopped', undefined, { error });
  }
}

async function startVirtualization(
  {
    home,
    imageCache,
    localNodes = { count: 1, network: undefined },
    simulatedNodes = 0,
    extension,
    isExtensionRemote,
    network,
    podNetwork,
    nodeName = hostName(),
    onNode,
    onKvm,
    onPlugins,
  }: VirtualizationOptions,
  hypervisor: Promise<Hypervisor>,
  stopping: AbortController,
  api: ApiServer,
  step: Step,
  port: number,
): Promise<() => Promise<void>> {
  const { signal } = stopping;
  const kvm = await step('Checking for KVM', () => probeKvm());
  onKvm(kvm);
  const plugins = await loadPlugins(home);
  onPlugins?.(plugins);
  const hypervisorProblems = problemsOf(plugins);
  for (const problem of hypervisorProblems)
    consoleLog.warn('a hypervisor plug-in is not used', undefined, { ...problem });
  const plane = await startControlPlane(
    {
      useEmulation: !kvm.isUsable,
      hypervisorProblems,
      port,
      support: {
        archives: new Archives(join(home, 'upgradelogs')),
        hostFiles: (problems) => hostFiles(home, problems),
      },
      home,
      ...(network && { network }),
      ...(extension && { listener: { home, ...extension } }),
      ...(isExtensionRemote && { remote: { home } }),
    },
    api,
    step,
    signal,
  );
  const node = await step('Starting the node', () =>
    startNode(
      {
        home,
        name: nodeName,
        version,
        ...plane.nodeClients(nodeName),
        kvm,
        hypervisor,
        imageCache,
        podNetwork,
        metrics: plane.nodeMetrics,
      },
      signal,
    ),
  );
  plane.addNode(node.name, node.api, node.connection());
  onNode?.(node.name, node.network);
  api.health.add('node', () => node.problem());
  const others =
    localNodes.count > 1
      ? await step(`Starting ${localNodes.count - 1} more ${localNodes.count === 2 ? 'node' : 'nodes'}`, () =>
          startLocalNodes(
            { ...localNodes, podNetwork, home, port, host: node.name, client: new Client(api.transportFor(LOOPBACK)) },
            signal,
          ),
        )
      : undefined;
  if (others) api.health.add('nodes', () => others.problem());
  const simulation =
    simulatedNodes > 0
      ? await step(`Simulating ${simulatedNodes} nodes`, () => plane.simulate(simulatedNodes))
      : await plane.removeSimulated().then(() => undefined);
  return async () => {
    stopping.abort();
    await Promise.all([plane.ended, node.ended, others?.ended, simulation?.ended]);
  };
}
