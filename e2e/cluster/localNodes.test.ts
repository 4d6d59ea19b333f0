import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { openConsole } from '../vms/console.ts';
import { guestsOf } from '../vms/leftovers.ts';
import { vm } from '../vms/manifests.ts';

const isRoot = process.getuid?.() === 0;
const SECOND = `${hostname().toLowerCase()}-2`;
let server: Vireo;
let kubectl: Kubectl;
let home: Awaited<ReturnType<typeof temporaryHome>>;

const start = async (): Promise<void> => {
  server = await startVireo({ home: home.home, vms: true, options: ['--nodes', '2'] });
  kubectl = kubectlFor(server.kubeconfig, join(home.home, 'kubectl-cache'));
};

beforeAll(async () => {
  home = await temporaryHome();
  await start();
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await runVireo(['down', '--home', home.home, '--force']);
  await home?.remove();
}, 60_000);

const namespaces = (): Promise<string[]> => readdir('/run/netns').catch(() => []);

it('a host with two nodes runs a VM on the second, and leaves it alone when the server is killed and comes back', async () => {
  const addresses = await kubectl(
    'get nodes -o "jsonpath={.items[*].status.addresses[?(@.type==\'InternalIP\')].address}"',
  );
  expect(new Set(addresses.split(' ')).size).toBe(2);
  const spec = { nodeSelector: { 'kubernetes.io/hostname': SECOND } };
  await kubectl.do('apply -f -', { input: vm('web', { guest: 'boot-sector', graceSeconds: 0, spec }) });
  await kubectl.do('wait vm/web --for=jsonpath={.status.printableStatus}=Running --timeout=90s');
  expect(await kubectl('get vmi web -o jsonpath={.status.nodeName}')).toBe(SECOND);
  const console = await openConsole(server.kubeconfig, 'web');
  await console.close();
  const [guest] = await guestsOf(home.home);

  await server.kill();
  await start();
  await kubectl.do('wait vm/web --for=condition=Ready --timeout=90s');
  expect((await guestsOf(home.home)).map(({ pid }) => pid)).toEqual([guest?.pid]);
  if (isRoot) expect((await namespaces()).some((name) => name.startsWith('vireo-'))).toBe(true);
});

it('vireo down stops the guests of all nodes and removes their networks', async () => {
  const before = await namespaces();
  const { code, output } = await runVireo(['down', '--home', home.home]);
  expect(output).toContain(`All data is kept in ${join(home.home, 'nodes', SECOND)}.`);
  expect(code).toBe(0);
  expect(await guestsOf(home.home)).toEqual([]);
  if (isRoot) expect((await namespaces()).length).toBe(before.length - 1);
});
