import { join } from 'node:path';
import { Node } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLER } from '@vireo/controllers';
import { NODE_NAME, startFakeNode } from '@vireo/controllers/testing/fakeNode.ts';
import { startFakeStorage } from '@vireo/controllers/testing/fakeStorage.ts';
import { accountTransport, serveInstance } from '@vireo/extension/testing/installation.ts';
import { Client } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { vi } from 'vitest';
import { type InstallCommandOptions, install } from '../commands/install/install.ts';
import { type UninstallOptions, uninstall } from '../commands/install/uninstall.ts';
import { leadControllers } from '../roles/leadControllers.ts';

/** A Kubernetes without Vireo, and the commands and roles that make it one with Vireo, all in this process. */
export interface EmptyCluster {
  readonly server: TestServer;
  /** Of an administrator. */
  readonly client: Client;
  /** Runs `vireo install`; resolves with what it printed. */
  install(options?: Partial<InstallCommandOptions>): Promise<string>;
  uninstall(options?: Partial<UninstallOptions>): Promise<string>;
  startControllers(): Promise<void>;
  /** The result ends it. */
  startExtension(): Promise<() => Promise<void>>;
  /** A node whose guests and volumes are only words; see the fakes. */
  startNode(storage?: Parameters<typeof startFakeStorage>[2]): Promise<void>;
  close(): Promise<void>;
}

const LEADERSHIP = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 20_000 };
const TIMEOUT_MS = 60_000;

/** Starts the server. */
export async function startEmptyCluster(): Promise<EmptyCluster> {
  const server = await startTestServer();
  const { client } = server;
  const stop = new AbortController();
  // Roles complain when their rights are gone.
  const log = memoryLog();
  const ending: (() => Promise<unknown>)[] = [];
  const options = { kubeconfig: join(server.home, 'kubeconfig'), timeout: TIMEOUT_MS };
  return {
    server,
    client,
    install: (more) => printed(() => install({ ...options, ...more })),
    uninstall: (more) => printed(() => uninstall({ ...options, ...more })),
    async startControllers() {
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'];
      const transport = server.inProcess({ username: CONTROLLER, groups });
      const { settled, ended } = leadControllers(
        { ...LEADERSHIP, transport, identity: 'test-controllers', context: { health: 'observed', log } },
        stop.signal,
      );
      ending.push(() => ended);
      await settled;
    },
    async startExtension() {
      const served = await serveInstance(
        server,
        { client: new Client(await accountTransport(server)), log },
        stop.signal,
      );
      ending.unshift(served.close);
      return served.close;
    },
    async startNode(storage) {
      // Only the system may say how a VMI is.
      const handler = { username: 'system:serviceaccount:kubevirt:kubevirt-handler', groups: ['system:masters'] };
      await startFakeNode(new Client(server.inProcess(handler)), stop.signal);
      await startFakeStorage(client, stop.signal, storage);
      const nodeInfo = { containerRuntimeVersion: 'libvirt://9.0.0' };
      await client.of(Node).patchStatus(NODE_NAME, { status: { nodeInfo } }, { type: 'strategic' });
    },
    async close() {
      stop.abort();
      await Promise.allSettled(ending.map((end) => end()));
      await server.close();
    },
  };
}

/** What is printed meanwhile. */
async function printed(command: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  try {
    await command();
    return lines.join('\n');
  } finally {
    log.mockRestore();
  }
}
