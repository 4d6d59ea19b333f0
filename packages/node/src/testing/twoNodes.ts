import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type KubeObject, Namespace, type Persisted, Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { startTestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { nodePolicies } from '@vireo/extension/install/nodePolicies.ts';
import { Client, Informers } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { capabilityCache } from '@vireo/libvirt/testing/capabilityCache.ts';
import { NODES_IDENTITY } from '../identity.ts';
import { startHypervisor } from '../libvirtd/hypervisor.ts';
import { type NodeLayout, nodeLayout } from '../libvirtd/layout.ts';
import { GuestGroups } from '../limits/guestGroups.ts';
import { type RunningNode, startNode } from '../startNode.ts';
import { killEverything, NAMESPACE } from './cluster.ts';
import { Cut } from './cut.ts';
import { kvmOfTests } from './kvm.ts';
import { nodeClients } from './nodeClients.ts';

const run = promisify(execFile);

/** A node of the test, with a home and a libvirtd of its own. */
export interface TestNode {
  readonly name: string;
  readonly layout: NodeLayout;
  /** Ends the agent; guests and libvirtd stay. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The agent's connection to the server. */
  readonly connection: Cut;
  libvirtdPid(): Promise<number>;
  /** Ids of QEMU's processes of a VMI. */
  guests(uid: string): Promise<number[]>;
}

/** The real server, the real controllers, and two nodes on this host, with libvirtd and QEMU. */
export interface TwoNodes {
  readonly admin: Client;
  readonly log: ReturnType<typeof memoryLog>;
  readonly nodes: readonly [TestNode, TestNode];
  vmi(
    name: string,
    is?: (vmi: Persisted<VirtualMachineInstance>) => boolean,
  ): Promise<Persisted<VirtualMachineInstance>>;
  pod(name: string, is?: (pod: Persisted<Pod>) => boolean): Promise<Persisted<Pod>>;
  gone(kind: 'pod' | 'vmi', name: string): Promise<void>;
  close(): Promise<void>;
}

/** `smallMib`: the second node has a file system of that size of its own, which can be filled; needs root. */
export async function startTwoNodes({ smallMib }: { readonly smallMib?: number } = {}): Promise<TwoNodes> {
  const log = memoryLog();
  const stop = new AbortController();
  const server = await startTestServer();
  const closing: (() => Promise<unknown>)[] = [() => server.close()];
  const close = async (): Promise<void> => {
    stop.abort();
    for (const each of closing.toReversed()) await each();
  };
  try {
    const admin = server.client;
    const kvm = await kvmOfTests();
    await install(admin, { useEmulation: !kvm.isUsable, identities: [NODES_IDENTITY], objects: nodePolicies() });
    await admin.of(Namespace).create({ metadata: { name: NAMESPACE } });
    const informers = new Informers(admin, { log });
    const vmis = informers.for(VirtualMachineInstance);
    const pods = informers.for(Pod);
    informers.start(stop.signal);
    await informers.whenSynced();
    const user = { username: CONTROLLERS, groups: ['system:serviceaccounts', 'system:authenticated'] };
    const controllers = startControllers(
      { client: new Client(server.inProcess(user)), log, architecture: 'amd64' },
      stop.signal,
    );
    closing.push(() => controllers.ended);
    await controllers.synced;
    const startOne = async (name: string): Promise<TestNode> => {
      const home = await mkdtemp(`/tmp/vireo-${name}-`);
      const isSmall = smallMib !== undefined && name === 'node-2';
      if (isSmall) await run('mount', ['-t', 'tmpfs', '-o', `size=${smallMib}m,mode=0711`, 'vireo-test', home]);
      const layout = nodeLayout(home, process.getuid?.() === 0);
      closing.push(async () => {
        await killEverything(layout);
        await (await GuestGroups.open(layout)).removeAll();
        if (isSmall) await run('umount', [home]);
        for (const directory of [home, layout.run]) await rm(directory, { recursive: true, force: true });
      });
      let stopping = new AbortController();
      let running: RunningNode | undefined;
      const connection = new Cut();
      const node: TestNode = {
        name,
        layout,
        connection,
        async start() {
          stopping = new AbortController();
          const hypervisor = startHypervisor(home, log, { capabilityCache });
          const clients = nodeClients(server, name, (transport) => connection.through(transport));
          running = await startNode({ home, ...clients, log, kvm, hypervisor, name }, stopping.signal);
        },
        async stop() {
          stopping.abort();
          await running?.ended;
        },
        libvirtdPid: async () => Number(await readFile(join(layout.libvirt, 'libvirtd.pid'), 'utf8')),
        guests: (uid) => guestPids(layout, uid),
      };
      await node.start();
      closing.push(() => node.stop());
      return node;
    };
    const nodes = [await startOne('node-1'), await startOne('node-2')] as const;
    return {
      admin,
      log,
      nodes,
      vmi: (name, is) => untilFound(vmis, name, is),
      pod: (name, is) => untilFound(pods, name, is),
      gone: async (kind, name) => {
        const informer = kind === 'pod' ? pods : vmis;
        await settled(informer, () => (informer.get(`${NAMESPACE}/${name}`) ? undefined : true));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Watchable<T extends KubeObject> {
  on(handlers: object): () => void;
  get(key: string): Persisted<T> | undefined;
}

const untilFound = <T extends KubeObject>(
  informer: Watchable<T>,
  name: string,
  is: (object: Persisted<T>) => boolean = () => true,
): Promise<Persisted<T>> =>
  settled(informer, () => {
    const object = informer.get(`${NAMESPACE}/${name}`);
    return object && is(object) ? object : undefined;
  });

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

/** QEMU processes of a VMI on a node, by what their command lines name. */
async function guestPids({ vmis }: NodeLayout, uid: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return pids.filter((_, index) => {
    const line = lines[index] ?? '';
    return /^[^\0]*qemu-system/.test(line) && line.includes(join(vmis, uid));
  });
}
