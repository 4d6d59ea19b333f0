import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Lease } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { vmDraft } from '@vireo/controllers/testing/cluster.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry, isolatedEnvironment, runVireo } from '../testing/vireoProcess.ts';

let server: TestServer;
const instances: Instance[] = [];

interface Instance {
  readonly child: ChildProcess;
  readonly name: string;
  output(): string;
}

async function startInstance(): Promise<Instance> {
  const periods = ['lease-duration=2s', 'renew-deadline=1s', 'retry-period=200ms'].map(
    (each) => `--leader-elect-${each}`,
  );
  const args = ['controllers', '--kubeconfig', join(server.home, 'kubeconfig'), ...periods];
  const child = spawn(process.execPath, [entry, ...args], { env: isolatedEnvironment({}) });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  await expect.poll(() => output).toMatch(/^\S+ is ready to lead\.$/m);
  const [name = ''] = output.split(' ', 1);
  const instance = { child, name, output: () => output };
  instances.push(instance);
  return instance;
}

const leader = async (): Promise<string | undefined> =>
  (await server.client.of(Lease).find('virt-controller', { namespace: 'kubevirt' }))?.spec?.holderIdentity;

/** Whether whoever leads does its work: a new VM gets an instance. */
async function expectWork(name: string): Promise<void> {
  await server.client.of(Vm).create({ ...vmDraft(name), metadata: { name, namespace: 'default' } });
  await expect.poll(() => server.client.of(Vmi).find(name, { namespace: 'default' })).toBeDefined();
}

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true });
});
afterAll(async () => {
  for (const { child } of instances) child.kill('SIGKILL');
  await server.close();
});

it('one instance of the controllers leads, and another takes over when it is stopped, killed or told to end', async () => {
  const first = await startInstance();
  await expect.poll(leader).toBe(first.name);
  const second = await startInstance();
  await expectWork('one');

  first.child.kill('SIGSTOP');
  await expect.poll(leader).toBe(second.name);
  await expectWork('two');
  first.child.kill('SIGCONT');
  await expect.poll(first.output).toContain('this instance no longer leads');

  second.child.kill('SIGKILL');
  await expect.poll(leader).toBe(first.name);
  await expectWork('three');

  first.child.kill('SIGTERM');
  const [code] = await once(first.child, 'exit');
  expect([code, await leader()]).toEqual([0, '']);
});

it('controllers without a kubeconfig say what to do', async () => {
  const { code, stderr } = await runVireo(['controllers', '--home', join(server.home, 'elsewhere')], {
    KUBECONFIG: '',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('Pass --kubeconfig FILE, or start the embedded server with `vireo up`.');
});
