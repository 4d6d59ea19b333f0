import { isReason, Namespace } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { startTestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Log, type Transport } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { install } from '../install.ts';
import { USER } from '../rbac.ts';
import { type ControllersContext, startControllers } from '../start.ts';
import { type FakeNodeOptions, startFakeNode } from './fakeNode.ts';
import { startFakeStorage } from './fakeStorage.ts';

/** The real API server with our installation on it, and one namespace to work in. */
export interface Cluster {
  readonly admin: Client;
  readonly log: Log & { readonly entries: readonly { message: string; level: string }[] };
  /**
   * Starts the controllers as the user that they are; the result stops them and waits for the end. `through`: stands
   * between them and the server.
   */
  startControllers(
    options?: Partial<ControllersContext> & { through?: (transport: Transport) => Transport },
  ): Promise<() => Promise<void>>;
  startNode(options?: FakeNodeOptions): Promise<void>;
  startStorage(options?: Parameters<typeof startFakeStorage>[2]): Promise<void>;
  /** Ends everything; throws if the controllers were denied something. */
  close(): Promise<void>;
}

export const NAMESPACE = 'shop';

export async function startCluster(): Promise<Cluster> {
  const server = await startTestServer();
  const { client: admin } = server;
  const stopping = new AbortController();
  const log = memoryLog();
  const stops = new Set<() => Promise<void>>();
  await install(admin, { useEmulation: true });
  await admin.of(Namespace).create({ metadata: { name: NAMESPACE } });
  return {
    admin,
    log,
    async startControllers({ through = (transport: Transport) => transport, ...options } = {}) {
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'];
      const client = new Client(through(server.inProcess({ username: USER, groups })));
      const stop = new AbortController();
      const { synced, ended } = startControllers({ client, log, architecture: 'amd64', ...options }, stop.signal);
      const end = async () => {
        stops.delete(end);
        stop.abort();
        await ended;
      };
      stops.add(end);
      await synced;
      return end;
    },
    startNode: (options) => startFakeNode(admin, stopping.signal, options),
    startStorage: (options) => startFakeStorage(admin, stopping.signal, options),
    async close() {
      stopping.abort();
      await Promise.all([...stops].map((stop) => stop()));
      await server.close();
      const errors = log.entries.map(({ fields }) => fields?.error);
      const denied = errors.find((error) => isReason(error, 'Forbidden') && error.message.includes(`User "${USER}"`));
      if (denied) throw denied;
    },
  };
}

/** A VM as admission would have left it. */
export const vmDraft = (name: string, spec: Partial<Vm['spec']> = {}): VirtualMachine => ({
  apiVersion: `${Vm.group}/${Vm.version}`,
  kind: Vm.kind,
  metadata: { name, namespace: NAMESPACE },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { app: name } },
      spec: {
        architecture: 'amd64',
        domain: {
          devices: {},
          machine: { type: 'q35' },
          memory: { guest: '64Mi' },
          firmware: { uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223' },
        },
      },
    },
    ...spec,
  },
});
