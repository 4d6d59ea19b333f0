import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { type NetworkConfig, networkConfigMap } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { type ApiServer, LOOPBACK, type Step } from '@vireo/apiserver';
import { USER as CONTROLLER, type Health, install, keepInstalled } from '@vireo/controllers';
import { ASKS_EXTENSION, USER as EXTENSION, installObjects, type Listener, type Support } from '@vireo/extension';
import { Client, type Metrics, type NodeApi, type NodeLogs, observedTransport, type UserInfo } from '@vireo/kube';
import {
  NODES_IDENTITY,
  type NodeOptions,
  removeStaleNodes,
  runtimeDirectory,
  USER as SIMULATED,
  IDENTITY as SIMULATED_IDENTITY,
  type Simulation,
  startSimulatedNodes,
} from '@vireo/node';
import { componentMetrics, IN_PROCESS } from './componentMetrics.ts';
import { startInProcess } from './extension/inProcess.ts';
import { remoteBasics, removeRemoteRights, startRemoteExtension, untilAvailable } from './extension/remote.ts';
import { type FrontProxyOptions, listenForFrontProxy } from './frontProxyListener.ts';
import { EMBEDDED_INSTANCE } from './roles/instanceName.ts';
import { leadControllers } from './roles/leadControllers.ts';

export interface ControlPlaneOptions {
  /** Whether the VMs of this installation may do without hardware virtualization. */
  readonly useEmulation: boolean;
  /** Packages that were to bring hypervisors and were not taken. */
  readonly hypervisorProblems?: readonly { readonly plugin: string; readonly problem: string }[];
  /** Of the server. */
  readonly port: number;
  /** What nodes have to know of the network. */
  readonly network?: NetworkConfig;
  /** False: they run in processes of their own. */
  readonly hasControllers?: boolean;
  /** Where archives of logs and objects are kept. */
  readonly support?: Support;
  /** Has the extension listen for the front proxy of another server. */
  readonly listener?: FrontProxyOptions;
  /** Where the extension keeps its certificate for nodes elsewhere. Missing: there are none. */
  readonly home?: string;
  /** Has the extension run in a process of its own, which keeps its files in this home. */
  readonly remote?: { readonly home: string };
}

/** All that VMs need but nodes to run them: their kinds, admission and subresources, and the controllers. */
export interface ControlPlane {
  /** The clients of the node of that name: each acts as one of its two users. */
  nodeClients(name: string): Pick<NodeOptions, 'client' | 'kubelet'>;
  /** Where nodes and what runs on them are counted. */
  readonly nodeMetrics: Metrics;
  /** Makes a node reachable: its consoles, its VMs' actions, its logs and what it uses. */
  addNode(name: string, node: NodeApi, logs: NodeLogs): void;
  /** Adds nodes that run stub VMs only. Those that an earlier start had beyond them go. */
  simulate(count: number): Promise<Simulation>;
  /** Removes what an earlier start has simulated. */
  removeSimulated(): Promise<void>;
  /** Where the extension listens for a front proxy, if it does. */
  readonly extensionPort?: number;
  /** The extension's own process as it runs now, if it has one. */
  readonly extensionProcess?: () => ChildProcess;
  readonly ended: Promise<void>;
}

/** Each part is a client with its own identity, as on a cluster. */
export async function startControlPlane(
  options: ControlPlaneOptions,
  api: ApiServer,
  step: Step,
  signal: AbortSignal,
): Promise<ControlPlane> {
  const { useEmulation, hypervisorProblems = [], port, support, listener, home, remote: isRemote } = options;
  const clientOf = (user: UserInfo): Client => new Client(api.transportFor(user));
  const components = componentMetrics(api);
  /** `name` is what KubeVirt calls the component: the manager of the fields that it sets. */
  const componentClient = (name: string, user: UserInfo, metrics: Metrics): Client =>
    new Client(observedTransport(api.transportFor(user, name), metrics, IN_PROCESS));
  const handlerClient = (username: string, group: string): Client =>
    componentClient('virt-handler', { username, groups: [group, 'system:authenticated'] }, components.handler);
  const nodes = new Map<string, NodeApi>();
  const addNode: ControlPlane['addNode'] = (name, node, logs) => {
    nodes.set(name, node);
    api.nodes.set(name, logs);
  };
  const admin = clientOf(LOOPBACK);
  const basics = [
    ...(isRemote ? remoteBasics() : installObjects().filter(({ kind }) => !ASKS_EXTENSION.includes(kind))),
    ...(options.network ? [networkConfigMap(options.network)] : []),
  ];
  await step('Installing the VM APIs', () => install(admin, { identities: IDENTITIES, objects: basics }));
  if (!isRemote) await removeRemoteRights(admin);
  const extensionClient = componentClient('virt-api', EXTENSION, components.api);
  const parts = {
    client: extensionClient,
    asUser: clientOf,
    metrics: components.api,
    nodes,
    ...(home !== undefined && { directory: join(home, 'extension', 'in-process') }),
    ...(support && { support }),
  };
  const remote = isRemote
    ? await step('Starting the extension', () =>
        startRemoteExtension({ home: isRemote.home, port, nodes: (name) => nodes.get(name) }, api, signal),
      )
    : undefined;
  const extension = remote ? undefined : startInProcess(parts, api, signal);
  // Only now: from here on every write of KubeVirt's kinds asks the extension, which reads those kinds itself. On a
  // home that was used before, the server asks already, so that the KubeVirt object too has to wait until here.
  const asking = remote?.asking ?? installObjects().filter(({ kind }) => ASKS_EXTENSION.includes(kind));
  const whole = { useEmulation, identities: IDENTITIES, objects: [...basics, ...asking], instancetypes: true };
  if (remote) {
    // What the server asks about the rest has to be answered, and is only when it trusts who answers.
    await install(admin, { identities: IDENTITIES, objects: whole.objects });
    await step('Waiting for the extension', () => untilAvailable(admin, asking, signal));
  }
  await install(admin, whole);
  const policies = basics.filter(({ kind }) => LIMITS_NODES.includes(kind));
  const kept = keepInstalled(admin, [...policies, ...asking], signal);

  const controllers =
    options.hasControllers === false
      ? undefined
      : leadControllers(
          {
            ...LEADERSHIP,
            transport: componentClient('virt-controller', account(CONTROLLER), components.controller).transport,
            context: {
              health: { ...EMBEDDED, hypervisorProblems: () => hypervisorProblems },
              uploadUrl: `https://127.0.0.1:${port}`,
              ...(home !== undefined && { runtimeDirectory: runtimeDirectory(home, process.getuid?.() === 0) }),
              metrics: components.controller,
            },
          },
          signal,
        );
  await controllers?.settled;
  const listening =
    listener &&
    extension &&
    (await step('Listening for a front proxy', () => listenForFrontProxy(extension, extensionClient, listener)));
  return {
    nodeClients: (name) => ({
      client: handlerClient(nodeUser(name), NODE_GROUP),
      kubelet: handlerClient(kubeletUser(name), KUBELET_GROUP),
    }),
    nodeMetrics: components.handler,
    addNode,
    simulate: async (count) => {
      const client = componentClient('virt-handler', account(SIMULATED), components.handler);
      const simulation = await startSimulatedNodes({ client, count, metrics: components.handler }, signal);
      for (const name of simulation.names) addNode(name, simulation.api, simulation.logs(name));
      await removeStaleNodes(clientOf(LOOPBACK), new Set(simulation.names));
      return simulation;
    },
    removeSimulated: () => removeStaleNodes(clientOf(LOOPBACK), new Set()),
    ...(listening && { extensionPort: listening.port }),
    ...(remote && { extensionProcess: remote.process }),
    ended: Promise.all([controllers?.ended, kept, remote?.ended, listening && closedWith(signal, listening)]).then(
      () => {},
    ),
  };
}

async function closedWith(signal: AbortSignal, listener: Listener): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await listener.close();
}

/** The kinds of what limits nodes in the server itself. */
const LIMITS_NODES = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

const IDENTITIES = [NODES_IDENTITY, SIMULATED_IDENTITY];

/**
 * Whoever starts `vireo controllers` beside this process stands by. The lease is long, for nobody waits for it: this
 * process takes its own back at once, and with it the server ends as well.
 */
const LEADERSHIP = {
  identity: EMBEDDED_INSTANCE,
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 20_000,
};

/** All parts run in this process: while it answers, they are well. */
const EMBEDDED: Health = { isReady: () => true, onChange: () => () => {} };

function account(username: string): UserInfo {
  const namespace = username.split(':')[2] ?? '';
  return {
    username,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
