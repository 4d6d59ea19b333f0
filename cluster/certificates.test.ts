import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Lease } from '@vireo/api';
import { beforeAll, expect, it } from 'vitest';
import { vm } from '../e2e/vms/manifests.ts';
import { useRealCluster } from './fixture.ts';
import { programs } from './programs.ts';

/**
 * The signer of kube-controller-manager lets every certificate of nodes and extensions expire after a minute. Old ones
 * count from five minutes ago, when the certificate begins to be valid.
 */
const cluster = useRealCluster({ signingDuration: programs().minor < 22 ? '6m' : '1m' });
const NAMES = ['kubelet-client', 'node-client', 'kubelet-serving'];
const SCREEN = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/seen/vnc/screenshot';

beforeAll(async () => {
  const spec = { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } };
  await cluster().kubectl.do('apply -f -', { input: vm('seen', { graceSeconds: 0, spec }) });
  await cluster().kubectl.do('wait vm/seen --for=condition=Ready --timeout=120s');
});

it('certificates that expire after a minute are replaced, and no request fails', async () => {
  const { client, kubectl, directory } = cluster();
  const expiry = async (name: string): Promise<number> =>
    new X509Certificate(await readFile(join(directory, 'node-1/pki', `${name}.crt`))).validToDate.getTime();
  const first = Math.max(...(await Promise.all(NAMES.map(expiry))));
  const pod = (await kubectl.run('get pods -l vm.kubevirt.io/name=seen -o jsonpath={.items[*].metadata.name}')).stdout;
  // By the API server to the node, and by an extension to the node.
  const paths = [`/api/v1/namespaces/default/pods/${pod}/log`, SCREEN];
  let count = 0;
  while (Date.now() < first + 10_000) {
    await Promise.all(paths.map((path) => client.call({ method: 'GET', path, accept: '*/*' })));
    count++;
    await delay(100);
  }
  expect(count).toBeGreaterThan(100);
  for (const name of NAMES) expect([name, await expiry(name)]).toEqual([name, expect.toSatisfy((at) => at > first)]);
  const { spec } = await client.of(Lease).get('node-1', { namespace: 'kube-node-lease' });
  expect(Date.parse(spec?.renewTime ?? '')).toBeGreaterThan(first);
});
