import { ConfigMap, Secret } from '@vireo/api';
import { Client } from '@vireo/kube';
import { joiningSecret, newBootstrapToken } from '@vireo/kube/joining/bootstrapToken.ts';
import { clusterInfoKubeconfig, isSignedBy, signatureKey, signText } from '@vireo/kube/joining/clusterInfo.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { found } from '../../testing/controllers.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { signedData } from './status.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const at = { namespace: 'kube-public' };
const info = async () => (await server.client.of(ConfigMap).get('cluster-info', at)).data ?? {};

describe('cluster-info', () => {
  it('is signed by tokens as long as they are there, and anybody may read it', async () => {
    const token = newBootstrapToken();
    const { metadata } = await server.client.of(Secret).create(joiningSecret(token, {}));
    const signature = await found(async () => (await info())[signatureKey(token.id)]);
    const anonymous = new Client(await server.overHttp({ anonymous: true }));
    const { data = {} } = await anonymous.of(ConfigMap).get('cluster-info', at);
    expect(isSignedBy(data.kubeconfig ?? '', signature, token)).toBe(true);
    expect(isSignedBy(`${data.kubeconfig} `, signature, token)).toBe(false);
    expect(isSignedBy(data.kubeconfig ?? '', signature, newBootstrapToken())).toBe(false);
    await expect(anonymous.of(ConfigMap).list(at)).rejects.toThrow('forbidden');
    await server.client.of(Secret).delete(metadata.name, { namespace: 'kube-system' });
    await found(async () => ((await info())[signatureKey(token.id)] === undefined ? true : undefined));
  });

  it('names the server of this start', async () => {
    const data = { kubeconfig: 'of another port', 'jws-kubeconfig-abcdef': 'x', note: 'kept' };
    expect(signedData(data, 'new', [], 0)).toEqual({ kubeconfig: 'new', note: 'kept' });
    expect(signedData({ kubeconfig: 'new' }, 'new', [], 0)).toBeUndefined();
    expect((await info()).kubeconfig).toContain(`server: https://127.0.0.1:${server.server.port}`);
  });

  it('is signed to the byte as Kubernetes signs it', () => {
    // From Kubernetes' own test of its signatures.
    const token = { id: 'joshua', secret: 'my voice is my passcode' };
    const signature = 'eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8';
    expect(signText('Hello from the other side. I must have called a thousand times.', token)).toBe(signature);
    expect(clusterInfoKubeconfig('https://10.0.0.1:6443', 'PEM')).toContain('server: https://10.0.0.1:6443');
  });
});
