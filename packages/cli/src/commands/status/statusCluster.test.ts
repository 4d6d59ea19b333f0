import { join } from 'node:path';
import { Lease } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runVireo } from '../../testing/vireoProcess.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

const status = (...args: string[]) => runVireo(['status', '--kubeconfig', join(server.home, 'kubeconfig'), ...args]);

it('a cluster without Vireo is not ready, and the text says what to do', async () => {
  const { code, stdout } = await status();
  expect(code).toBe(1);
  expect(stdout).toContain('Install it with: vireo install');
  expect(stdout).toMatch(/^ {2}certificate valid until \d{4}-/m);
});

it('the roles and certificates of a cluster are JSON for programs', async () => {
  await install(server.client, { useEmulation: true });
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  await server.client.of(Lease).create({
    metadata: { name: 'virt-controller', namespace: 'kubevirt' },
    spec: { holderIdentity: 'host-1', leaseDurationSeconds: 60, renewTime },
  });
  const { code, stdout } = await status('-o', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ready: false,
    problems: [
      'the KubeVirt object is not Available',
      'no node is ready',
      expect.stringMatching(/^missing: .*ValidatingAdmissionPolicy nodes\.vireo\.dev-.*`vireo install` restores them$/),
    ],
    server: { url: `https://127.0.0.1:${server.server.port}`, version: expect.stringMatching(/^v1\./) },
    roles: [{ role: 'controllers', instance: 'host-1', alive: true, leads: true }],
    nodes: [],
    certificates: [{ of: 'kubeconfig' }, { of: 'server', notAfter: expect.stringMatching(/^\d{4}-.*Z$/) }],
    vms: { running: 0, total: 0 },
  });
});

it('a kubeconfig that is not there is an error that names it', async () => {
  const { code, stderr } = await runVireo(['status', '--kubeconfig', '/nonexistent']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('/nonexistent') });
});
