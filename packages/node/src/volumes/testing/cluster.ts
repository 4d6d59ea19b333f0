import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type PersistentVolumeClaim as Claim,
  Event,
  Namespace,
  Node,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  timestamp,
} from '@vireo/api';
import { FREE_STORAGE } from '@vireo/api/kinds/core/volumeNames.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { nodePolicies } from '@vireo/extension/install/nodePolicies.ts';
import { Client, type Clock, EventRecorder, systemClock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { vi } from 'vitest';
import { ImageStore } from '../../disks/images.ts';
import { NODES_IDENTITY } from '../../identity.ts';
import { nodeClients } from '../../testing/nodeClients.ts';
import { type NodeVolumes, startVolumes, type VolumesOptions } from '../index.ts';

export const NAMESPACE = 'shop';
export const NODE = 'node-1';
const at = { namespace: NAMESPACE };

/** The real server with its controllers and ours, and the volumes of one node; no hypervisor. */
export interface VolumeCluster {
  readonly server: TestServer;
  readonly admin: Client;
  readonly log: ReturnType<typeof memoryLog>;
  /** Where the node keeps volumes. */
  readonly directory: string;
  /** Uids of the domains that libvirt would know. */
  readonly domains: Set<string>;
  /** What was asked of guests. */
  readonly asked: string[];
  /** Keys of the VMIs that were woken. */
  readonly woken: string[];
  readonly volumes: NodeVolumes;
  claim(
    name: string,
    spec?: Partial<NonNullable<Claim['spec']>>,
    annotations?: Record<string, string>,
  ): Promise<Persisted<Claim>>;
  claimUntil(name: string, is: (claim: Persisted<Claim>) => boolean): Promise<Persisted<Claim>>;
  /** The volume that a claim is bound to. */
  volumeOf(name: string): Promise<Persisted<PersistentVolume>>;
  /** Resolves with the event of that reason about an object of that name. */
  event(name: string, reason: string): Promise<Event>;
  /** Another node with volumes of its own, and its object. */
  addNode(name: string, freeBytes?: number): Promise<VolumeNode>;
  /** Ends the node's part and starts it again, as after a crash of the agent. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The volumes of one more node. */
export interface VolumeNode {
  readonly directory: string;
  readonly volumes: NodeVolumes;
}

/** `root`: where the node has its disks; a directory that is there and stays. `clock`: the node's. */
export async function startVolumeCluster({
  root = tmpdir(),
  clock = systemClock,
}: {
  root?: string;
  clock?: Clock;
} = {}): Promise<VolumeCluster> {
  const home = await mkdtemp(join(root, 'vireo-volumes-'));
  const directory = join(home, 'volumes');
  const log = memoryLog();
  const server = await startTestServer();
  const admin = server.client;
  await install(admin, { useEmulation: true, identities: [NODES_IDENTITY], objects: nodePolicies() });
  await admin.of(Namespace).create({ metadata: { name: NAMESPACE } });
  await registerNode(admin, NODE);
  const domains = new Set<string>();
  const woken: string[] = [];
  const asked: string[] = [];
  const userOf = (username: string) => ({
    username,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'],
  });
  const controlling = new AbortController();
  const client = new Client(server.inProcess(userOf(CONTROLLERS)));
  const controllers = startControllers({ client, log, architecture: 'amd64' }, controlling.signal);
  await controllers.synced;
  let stopping = new AbortController();
  const start = (node = NODE, at = home): Promise<NodeVolumes> => {
    if (node === NODE) stopping = new AbortController();
    const { signal } = node === NODE ? stopping : others;
    const clients = nodeClients(server, node);
    const recorder = new EventRecorder(clients.kubelet, { component: 'virt-handler', log });
    const guests: VolumesOptions['guests'] = {
      has: (uid) => domains.has(uid),
      whilePaused: async (uid, act) => {
        asked.push(`paused ${uid}`);
        await act();
      },
      resize: async (uid, _, sizeBytes) => void asked.push(`resize ${uid} ${sizeBytes}`),
    };
    const snapshotDirectory = join(at, 'snapshots');
    const enqueue = (key: string): void => void woken.push(key);
    const images = new ImageStore({ directory: join(at, 'images'), cache: join(at, 'cache'), log: () => {} });
    const directory = join(at, 'volumes');
    const runtimeDirectory = join(at, 'run');
    const stored = { directory, snapshotDirectory, runtimeDirectory, images };
    const parts = { ...clients, recorder, log, clock, node, ...stored, guests, enqueue };
    return startVolumes(parts, signal);
  };
  const others = new AbortController();
  const ended: Promise<void>[] = [];
  const stop = async (): Promise<void> => {
    stopping.abort();
    await volumes.ended;
  };
  let volumes = await start();
  const claims = admin.of(PersistentVolumeClaim);
  const claimUntil = (name: string, is: (claim: Persisted<Claim>) => boolean): Promise<Persisted<Claim>> =>
    until(async () => {
      const claim = await claims.get(name, at);
      return is(claim) ? claim : undefined;
    });
  return {
    server,
    admin,
    log,
    directory,
    domains,
    asked,
    woken,
    get volumes() {
      return volumes;
    },
    claim: (name, spec, annotations = {}) =>
      claims.create({
        metadata: { name, ...at, annotations },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } }, ...spec },
      }),
    claimUntil,
    volumeOf: async (name) => {
      const { spec } = await claimUntil(name, ({ status }) => status?.phase === 'Bound');
      return admin.of(PersistentVolume).get(spec?.volumeName ?? '');
    },
    event: (name, reason) =>
      until(async () => {
        const { items } = await admin.of(Event).list();
        return items.find((event) => event.involvedObject.name === name && event.reason === reason);
      }),
    addNode: async (name, freeBytes) => {
      await registerNode(admin, name, freeBytes);
      const at = join(home, name);
      const volumes = await start(name, at);
      ended.push(volumes.ended);
      return { directory: join(at, 'volumes'), volumes };
    },
    restart: async () => {
      await stop();
      volumes = await start();
    },
    close: async () => {
      controlling.abort();
      await controllers.ended;
      others.abort();
      await Promise.all([stop(), ...ended]);
      await server.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Makes the object of a node that keeps volumes, ready to take VMs. */
export async function registerNode(admin: Client, name: string, freeBytes = 1024 ** 4): Promise<void> {
  await admin.of(Node).create({
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, [SCHEDULABLE_LABEL]: 'true' },
      annotations: { [FREE_STORAGE]: String(freeBytes) },
    },
  });
  const allocatable = { cpu: '16', memory: '64Gi', pods: '1000', 'devices.kubevirt.io/kvm': '1000' };
  const at = { lastHeartbeatTime: timestamp(), lastTransitionTime: timestamp() };
  const status = { capacity: allocatable, allocatable, conditions: [{ type: 'Ready', status: 'True', ...at }] };
  await admin.of(Node).patchStatus(name, { status }, { type: 'merge' });
}

/** Resolves with what `look` finds, once it finds something. */
export function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  return vi.waitFor(
    async () => {
      const found = await look();
      if (found === undefined) throw new Error(`not yet: ${look}`);
      return found;
    },
    { timeout: 20_000, interval: 10 },
  );
}
