import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterRoleBinding, ConfigMap, EndpointSlice } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { DEFAULT_NETWORK, parseNetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { LOOPBACK, type RunningServer, startServer } from '@vireo/apiserver';
import { IMPERSONATOR } from '@vireo/extension';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlPlane.ts';
import { removeRemoteRights } from './remote.ts';

let home: string;
let server: RunningServer;
let plane: ControlPlane;
let admin: Client;

const at = { namespace: 'default' };
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const SUB = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web';
/** A VM without a guest, on a simulated node. */
const vm = (name: string) => ({
  metadata: { name, ...at },
  spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
});

beforeAll(async () => {
  vi.stubEnv('VIREO_LISTEN', 'all');
  home = await mkdtemp(join(tmpdir(), 'vireo-remote-'));
  server = await startServer({
    home,
    port: 0,
    host: '127.0.0.1',
    extend: async (api, step, port) => {
      const stopping = new AbortController();
      const options = { useEmulation: true, port, remote: { home }, network: DEFAULT_NETWORK };
      plane = await startControlPlane(options, api, step, stopping.signal);
      admin = new Client(api.transportFor(LOOPBACK));
      const configuration = {
        hypervisorConfiguration: { name: 'stub' },
        developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
      };
      await admin.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
      const simulation = await plane.simulate(1);
      return async () => {
        stopping.abort();
        await Promise.all([plane.ended, simulation.ended]);
      };
    },
  });
}, 60_000);
afterAll(async () => {
  await server?.close();
  await rm(home, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const action = (path: string) =>
  server.api.transportFor(LOOPBACK).call({ method: 'PUT', path: `${SUB}/${path}`, body: {} });
const becomes = (status: string) =>
  vi.waitFor(async () => expect((await admin.of(VirtualMachine).get('web', at)).status?.printableStatus).toBe(status), {
    timeout: 20_000,
    interval: 50,
  });

it('an extension in a process of its own admits, starts and stops VMs', async () => {
  const created = await admin.of(VirtualMachine).create(vm('web'));
  expect(created.spec?.template?.spec?.domain?.machine?.type).toBeTypeOf('string');
  expect((await action('start')).status).toBe(202);
  await becomes('Running');
  expect((await action('stop')).status).toBe(202);
  await becomes('Stopped');
}, 60_000);

it('it listens on the loopback address only, wherever the server listens', async () => {
  const [slice] = (await admin.of(EndpointSlice).list({ namespace: 'kubevirt' })).items;
  expect(slice?.endpoints).toMatchObject([{ addresses: ['127.0.0.1'] }]);
  const port = slice?.ports?.[0]?.port ?? 0;
  const accepts = (host: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ host, port }, () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  expect(await accepts('127.0.0.1')).toBe(true);
  // Another address of this host: a listener on all addresses answers there.
  expect(await accepts('127.0.0.2')).toBe(false);
});

it('nodes read the ranges of the cluster, and no other ConfigMap', async () => {
  const maps = plane.nodeClients('n1').client.of(ConfigMap);
  const list = (name: string) => maps.list({ namespace: 'kubevirt', fieldSelector: `metadata.name=${name}` });
  const [map] = (await list('vireo-network')).items;
  expect(parseNetworkConfig(map)).toEqual(DEFAULT_NETWORK);
  await expect(list('kubevirt-ca')).rejects.toMatchObject({ code: 403 });
});

it('its tokens are for their owner only', async () => {
  for (const file of ['extension/token', 'extension/kubeconfig'])
    expect((await stat(join(home, file))).mode & 0o077).toBe(0);
});

const slices = async () => (await admin.of(EndpointSlice).list({ namespace: 'kubevirt' })).items.length;
const ask = async () => (await server.api.transportFor(LOOPBACK).call({ method: 'GET', path: SUB })).status;
async function startSecond() {
  const args = ['extension', '--home', home, '--kubeconfig', join(home, 'extension', 'kubeconfig'), '--port', '0'];
  const second = spawn(process.execPath, [...process.execArgv, MAIN, ...args, '--listen', 'local', '--name', 'second']);
  await once(second.stdout, 'data');
  return second;
}

it('an instance that is told to end leads requests elsewhere first, so that none fails', async () => {
  const second = await startSecond();
  expect(await slices()).toBe(2);
  second.kill('SIGTERM');
  while (second.exitCode === null && second.signalCode === null) expect(await ask()).toBe(404);
  expect([second.exitCode, await slices()]).toEqual([0, 1]);
}, 60_000);

it('a second instance takes requests too, and half of them fail for a few seconds at most when it is killed', async () => {
  const second = await startSecond();
  try {
    expect(await slices()).toBe(2);
    const answers: number[] = [];
    second.kill('SIGKILL');
    while ((await slices()) === 2) answers.push(await ask());
    for (const status of answers) expect([404, 503]).toContain(status);
    for (let request = 0; request < 20; request++) expect(await ask()).toBe(404);
  } finally {
    second.kill('SIGKILL');
  }
}, 60_000);

it('it is started again when it dies, and answers on the same port', async () => {
  const { extensionProcess } = plane;
  if (!extensionProcess) throw new Error('it does not run');
  const first = extensionProcess();
  const died = once(first, 'exit');
  first.kill('SIGKILL');
  await died;
  await vi.waitFor(async () => expect((await action('start')).status).toBe(202), { timeout: 30_000, interval: 100 });
  expect(extensionProcess().pid).not.toBe(first.pid);
}, 60_000);

it('its right to impersonate goes when it is not wanted any more', async () => {
  const bindings = admin.of(ClusterRoleBinding);
  expect(await bindings.find(IMPERSONATOR)).toBeDefined();
  await removeRemoteRights(admin);
  expect(await bindings.find(IMPERSONATOR)).toBeUndefined();
  await removeRemoteRights(admin);
});

it('it ends with the server', async () => {
  const process = plane.extensionProcess?.();
  await server.close();
  expect(process?.exitCode).toBe(0);
}, 60_000);
