import { type ApiServer, LOOPBACK, type Step, type UserInfo } from '@vireo/apiserver';
import { USER as CONTROLLER, type Health, install, startControllers } from '@vireo/controllers';
import {
  byServerInProcess,
  createExtension,
  USER as EXTENSION,
  inProcessNode,
  NAMESPACE,
  SERVICE_NAME,
  UPLOAD_PATHS,
} from '@vireo/extension';
import { loadPlugins } from '@vireo/hypervisor/plugins/index.ts';
import { Client, consoleLog, Informers } from '@vireo/kube';
import {
  type KvmProbe,
  USER as NODE,
  IDENTITY as NODE_IDENTITY,
  type NodeApi,
  probeKvm,
  type Simulation,
  startHypervisor,
  startNode,
  startSimulatedNodes,
} from '@vireo/node';

export interface MachinesOptions {
  readonly home: string;
  /** Where the guest image that Vireo builds is kept. */
  readonly imageCache: string;
  /** How many nodes that run stub machines only stand beside this host. */
  readonly simulatedNodes?: number;
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
  { home, imageCache, simulatedNodes = 0, onKvm }: MachinesOptions,
  stopping: AbortController,
  api: ApiServer,
  step: Step,
  port: number,
): Promise<() => Promise<void>> {
  const { signal } = stopping;
  const clientOf = (user: UserInfo): Client => new Client(api.transportFor(user));
  const kvm = await step('Trying hardware virtualization', probeKvm);
  onKvm(kvm);
  const useEmulation = !kvm.isUsable;
  for (const { plugin, problem } of await loadPlugins(home)) {
    if (problem) consoleLog.warn(`the hypervisor plug-in ${plugin} is not used: ${problem}`);
  }
  // Its first start takes seconds, in which the server can get ready. Whoever needs it hears of a failure.
  const hypervisor = startHypervisor(home, consoleLog);
  hypervisor.catch(() => {});
  const nodes = new Map<string, NodeApi>();
  const extensionClient = clientOf(EXTENSION);
  const informers = new Informers(extensionClient);
  const extension = createExtension({
    client: extensionClient,
    informers,
    authorize: byServerInProcess(extensionClient),
    nodes: (name) => {
      const node = nodes.get(name);
      return node && inProcessNode(node);
    },
  });
  const { objects } = extension;
  await step('Installing the kinds of machines', () =>
    install(clientOf(LOOPBACK), {
      useEmulation,
      identities: [NODE_IDENTITY],
      objects: objects.filter(({ kind }) => !ASKS_EXTENSION.includes(kind)),
    }),
  );
  informers.start(signal);
  api.services.register(NAMESPACE, SERVICE_NAME, extension.handle);
  api.services.registerUpgrade(NAMESPACE, SERVICE_NAME, extension.upgrade);
  for (const path of UPLOAD_PATHS) api.directRoutes.add(path, extension.upload);
  // Only now: from here on every write of a machine's kind asks the extension, which reads those kinds itself.
  const whole = { useEmulation, identities: [NODE_IDENTITY], objects, instancetypes: true };
  await install(clientOf(LOOPBACK), whole);

  const controllers = startControllers(
    { client: clientOf(account(CONTROLLER)), health: EMBEDDED, uploadUrl: `https://127.0.0.1:${port}` },
    signal,
  );
  await controllers.synced;
  const node = await step('Starting the node', () =>
    startNode({ home, client: clientOf(account(NODE)), kvm, hypervisor, imageCache }, signal),
  );
  nodes.set(node.name, node.api);
  api.nodes.set(node.name, node.connection());
  api.health.add('node', () => node.problem());
  const simulation = simulatedNodes > 0 ? await step(`Simulating ${simulatedNodes} nodes`, simulate) : undefined;
  return async () => {
    stopping.abort();
    await Promise.all([controllers.ended, node.ended, simulation?.ended]);
  };

  async function simulate(): Promise<Simulation> {
    const started = await startSimulatedNodes({ client: clientOf(account(NODE)), count: simulatedNodes }, signal);
    for (const name of started.names) {
      nodes.set(name, started.api);
      api.nodes.set(name, started.logs);
    }
    return started;
  }
}

/** Objects that make the server ask the extension; it must be able to answer before they are there. */
const ASKS_EXTENSION = ['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** All parts run in this process: while it answers, they are well. */
const EMBEDDED: Health = { isReady: () => true, onChange: () => () => {} };

function account(username: string): UserInfo {
  const namespace = username.split(':')[2] ?? '';
  return {
    username,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
