import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type KubeObject, Namespace, type Persisted, Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { nodePolicies } from '@vireo/extension/install/nodePolicies.ts';
import { Client, type Clock, consoleLog, Informers, type Log, type Transport } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { capabilityCache } from '@vireo/libvirt/testing/capabilityCache.ts';
import { removeProcessRules } from '@vireo/network';
import { NODES_IDENTITY } from '../identity.ts';
import { type HypervisorOptions, startHypervisor } from '../libvirtd/hypervisor.ts';
import { type NodeLayout, nodeLayout } from '../libvirtd/layout.ts';
import { SessionNetwork } from '../libvirtd/sessionNetwork.ts';
import { GuestGroups } from '../limits/guestGroups.ts';
import { networkOwner } from '../network/owner.ts';
import { type RunningNode, startNode } from '../startNode.ts';
import { countingTransport } from './countingTransport.ts';
import { kvmOfTests } from './kvm.ts';
import { nodeClients } from './nodeClients.ts';

export const NAMESPACE = 'shop';

/** The whole of it, emulated unless KVM is required: the real server, the real controllers, this node, libvirtd, QEMU. */
export interface TestCluster {
  readonly server: TestServer;
  readonly admin: Client;
  readonly layout: NodeLayout;
  readonly node: RunningNode;
  readonly log: Log & { readonly entries: readonly { level: string; message: string }[] };
  /** What the agent has written, events and leases aside. */
  readonly writes: string[];
  readonly vmis: Watched<VirtualMachineInstance>;
  readonly vms: Watched<VirtualMachine>;
  readonly pods: Watched<Pod>;
  /** Ends the agent; guests and libvirtd stay. */
  stopNode(): Promise<void>;
  restartNode(): Promise<void>;
  stopControllers(): Promise<void>;
  /** Ids of QEMU's processes. */
  guests(): Promise<number[]>;
  libvirtdPid(): Promise<number>;
  close(): Promise<void>;
}

/** Objects that can be waited for. */
export interface Watched<T extends KubeObject> {
  /** Resolves with the object when it is as asked; without `is`, when it is there. */
  until(name: string, is?: (object: Persisted<T>) => boolean): Promise<Persisted<T>>;
  gone(name: string): Promise<void>;
}

const accountOf = (username: string) => ({
  username,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'],
});

export interface TestClusterOptions {
  readonly hypervisor?: HypervisorOptions;
  /** The time of the agent and of the controllers. */
  readonly clock?: Clock;
  /** Stands between the agent and the controllers, and the server. */
  readonly through?: (transport: Transport) => Transport;
}

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const home = await mkdtemp('/tmp/vireo-node-');
  const layout = nodeLayout(home, process.getuid?.() === 0);
  const log = memoryLog();
  const stop = new AbortController();
  const writes: string[] = [];
  const clocked = options.clock ? { clock: options.clock } : {};
  const { through = (transport) => transport } = options;
  const server = await startTestServer();
  const closing: (() => Promise<unknown>)[] = [() => server.close()];
  const close = async (): Promise<void> => {
    stop.abort();
    for (const each of closing.toReversed()) await each();
    await killEverything(layout);
    await (await GuestGroups.open(layout)).removeAll();
    for (const directory of [home, layout.run]) await rm(directory, { recursive: true, force: true });
  };
  try {
    const admin = server.client;
    const kvm = await kvmOfTests();
    await install(admin, { useEmulation: !kvm.isUsable, identities: [NODES_IDENTITY], objects: nodePolicies() });
    await admin.of(Namespace).create({ metadata: { name: NAMESPACE } });
    const informers = new Informers(admin, { log });
    const watched = <T extends Pod | VirtualMachine | VirtualMachineInstance>(
      informer: ReturnType<typeof informers.for<T>>,
    ): Watched<T> => ({
      until: (name, is = () => true) =>
        settled(informer, () => {
          const object = informer.get(`${NAMESPACE}/${name}`);
          return object && is(object) ? object : undefined;
        }),
      gone: async (name) => {
        await settled(informer, () => (informer.get(`${NAMESPACE}/${name}`) ? undefined : true));
      },
    });
    const vmis = watched(informers.for(VirtualMachineInstance));
    const vms = watched(informers.for(VirtualMachine));
    const pods = watched(informers.for(Pod));
    informers.start(stop.signal);
    await informers.whenSynced();
    const controlling = new AbortController();
    const controllers = startControllers(
      { client: new Client(through(server.inProcess(accountOf(CONTROLLERS)))), log, architecture: 'amd64', ...clocked },
      controlling.signal,
    );
    const stopControllers = (): Promise<void> => {
      controlling.abort();
      return controllers.ended;
    };
    closing.push(stopControllers);
    await controllers.synced;
    let stopping = new AbortController();
    const start = (): Promise<RunningNode> => {
      stopping = new AbortController();
      const clients = nodeClients(server, 'node-1', (transport) => countingTransport(through(transport), writes));
      const hypervisor = startHypervisor(home, log, { capabilityCache, ...options.hypervisor });
      return startNode({ home, ...clients, log, kvm, hypervisor, name: 'node-1', ...clocked }, stopping.signal);
    };
    let node = await start();
    const stopNode = async (): Promise<void> => {
      stopping.abort();
      await node.ended;
    };
    closing.push(stopNode);
    return {
      server,
      admin,
      layout,
      log,
      writes,
      vmis,
      vms,
      pods,
      get node() {
        return node;
      },
      stopNode,
      stopControllers,
      async restartNode() {
        await stopNode();
        node = await start();
      },
      guests: () => guestPids(layout),
      libvirtdPid: async () => Number(await readFile(join(layout.libvirt, 'libvirtd.pid'), 'utf8')),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for changes until `find` finds. */
async function settled<T>(informer: { on(handlers: object): () => void }, find: () => T | undefined): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const look = (): void => {
    const found = find();
    if (found !== undefined) resolve(found);
  };
  const stop = informer.on({ added: look, updated: look, deleted: look });
  look();
  try {
    return await promise;
  } finally {
    stop();
  }
}

/** QEMU processes of this node, by what their command lines name. */
async function guestPids({ vmis, run }: NodeLayout): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return pids.filter((_, index) => {
    const line = lines[index] ?? '';
    return /^[^\0]*qemu-system/.test(line) && (line.includes(vmis) || line.includes(run));
  });
}

/** Ends the guests and the libvirtd of a home. */
export async function killEverything(layout: NodeLayout): Promise<void> {
  const kill = (pid: number): void => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const libvirtd = Number(await readFile(join(layout.libvirt, 'libvirtd.pid'), 'utf8').catch(() => '0'));
  if (libvirtd > 1) kill(libvirtd);
  for (const pid of await guestPids(layout)) kill(pid);
  if (layout.isRoot) await removeProcessRules(networkOwner(dirname(layout.libvirt)));
  else await new SessionNetwork(layout, consoleLog).end();
}
