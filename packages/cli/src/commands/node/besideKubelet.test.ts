import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { TestKubelet } from '@vireo/node/devicePlugin/testing/kubelet.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry, isolatedEnvironment, runVireo } from '../../testing/vireoProcess.ts';
import { nodeNameIn } from './besideKubelet.ts';

let server: TestServer;
let directory: string;
let kubelet: TestKubelet;
let child: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-kubelet-'));
  kubelet = new TestKubelet(directory);
  server = await startTestServer();
  await install(server.client, { useEmulation: false });
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await kubelet?.stop();
  await server?.close();
  await rm(directory, { recursive: true });
});

const args = () => ['node', '--beside-kubelet', '--kubeconfig', join(server.home, 'kubeconfig'), '--node-name', 'n'];

it('vireo node --beside-kubelet registers the devices of VMs until it is told to stop', async () => {
  await kubelet.start();
  child = spawn(process.execPath, [entry, ...args(), '--kubelet-directory', directory], {
    env: isolatedEnvironment({}),
    stdio: 'ignore',
  });
  await expect.poll(() => kubelet.capacity('devices.kubevirt.io/kvm')).toBe(1000);
  await expect.poll(() => kubelet.capacity('devices.kubevirt.io/tun')).toBe(1000);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect.poll(() => kubelet.resources.get('devices.kubevirt.io/kvm')?.hasEnded).toBe(true);
});

it('a host without a kubelet says so', async () => {
  const { code, stderr } = await runVireo([...args(), '--kubelet-directory', join(directory, 'none')]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Is there a kubelet on this host?') });
});

it.each([
  ['system:node:worker.example.com', 'worker.example.com'],
  ['kubernetes-admin', undefined],
])('the node of the certificate of %s is %s', (commonName, expected) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = issueCertificate(
    {
      commonName,
      organizations: ['system:nodes'],
      notBefore: new Date(0),
      notAfter: new Date('2100-01-01'),
      use: 'client',
    },
    privateKey,
  );
  expect(nodeNameIn(pem)).toBe(expected);
});
