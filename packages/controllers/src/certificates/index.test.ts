import { type KeyObject, X509Certificate } from 'node:crypto';
import { Node, Secret } from '@vireo/api';
import { JOINING_GROUP, kubeletUser, nodeUser, TOKEN_NODE_ANNOTATION } from '@vireo/api/kinds/kubevirt/identities.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import {
  CLIENT_SIGNER,
  CLIENT_USAGES,
  Client,
  httpTransport,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  requestCertificate,
  SERVING_USAGES,
} from '@vireo/kube';
import { newKey } from '@vireo/kube/certificates/request.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install } from '../install.ts';
import { USER } from '../rbac.ts';
import { startControllers } from '../start.ts';

let server: TestServer;
const stopping = new AbortController();
const { signal } = stopping;
const log = memoryLog();
let ended: Promise<void>;

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true });
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'];
  const client = new Client(server.inProcess({ username: USER, groups }));
  ended = startControllers({ client, log, architecture: 'amd64' }, signal).ended;
});
afterAll(async () => {
  stopping.abort();
  await ended;
  await server.close();
});

/** A client with a bootstrap token of those that join. */
async function joining(id: string, node?: string): Promise<Client> {
  await server.client.of(Secret).create({
    metadata: {
      name: `bootstrap-token-${id}`,
      namespace: 'kube-system',
      ...(node && { annotations: { [TOKEN_NODE_ANNOTATION]: node } }),
    },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': JOINING_GROUP,
    },
  });
  return new Client(await server.overHttp({ token: `${id}.0123456789abcdef` }));
}

const nodeClient = (client: Client, node: string, key = newKey()) =>
  requestCertificate(
    client,
    {
      namePrefix: 'vireo-node-',
      signerName: CLIENT_SIGNER,
      usages: CLIENT_USAGES,
      key,
      commonName: nodeUser(node),
      organizations: ['vireo:nodes'],
    },
    signal,
  );

interface KubeletAsk {
  readonly key?: KeyObject;
  /** To serve there. */
  readonly addresses?: string[];
}
const kubelet = (client: Client, node: string, { key = newKey(), addresses }: KubeletAsk = {}) =>
  requestCertificate(
    client,
    {
      namePrefix: 'vireo-kubelet-',
      signerName: addresses ? KUBELET_SERVING_SIGNER : KUBELET_CLIENT_SIGNER,
      usages: addresses ? SERVING_USAGES : CLIENT_USAGES,
      key,
      commonName: kubeletUser(node),
      organizations: ['system:nodes'],
      ...(addresses && { ipAddresses: addresses }),
    },
    signal,
  );

describe('a host that joins', () => {
  it('gets both identities of its node, and as that node a certificate for its addresses', async () => {
    const token = await joining('aaaaaa');
    const key = newKey();
    const own = await nodeClient(token, 'a', key);
    expect(new X509Certificate(own.certPem).subject).toBe('O=vireo:nodes\nCN=vireo:node:a');
    const { certPem, keyPem } = await kubelet(token, 'a', { key });
    const asKubelet = httpTransport({
      server: `https://127.0.0.1:${server.server.port}`,
      insecure: true,
      credentials: { get: async () => ({ certificate: certPem, key: keyPem }), reject: () => {} },
    });
    const client = new Client(asKubelet);
    await client.of(Node).create({ metadata: { name: 'a' } });
    const status = {
      addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
      nodeInfo: { kubeletVersion: 'v1.36.0+vireo' },
    };
    const serving = kubelet(client, 'a', { addresses: ['192.0.2.1'] });
    await client.of(Node).patchStatus('a', { status }, { type: 'merge' });
    expect(new X509Certificate((await serving).certPem).subjectAltName).toBe('IP Address:192.0.2.1');
    // Renewals are by what it has, and no longer by the token.
    await kubelet(client, 'a');
    await expect(nodeClient(token, 'a')).rejects.toThrow('vireo token create --node a');
    await expect(kubelet(token, 'a')).rejects.toThrow('a node a is there already');
    await nodeClient(await joining('bbbbbb', 'a'), 'a');
    await asKubelet.close();
    expect(log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('shares its name with no other host, although both have the same token and there is no Node yet', async () => {
    const token = await joining('cccccc');
    const results = await Promise.allSettled([kubelet(token, 'c'), nodeClient(token, 'c')]);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => String(reason))).toEqual([expect.stringContaining('another host is joining')]);
  });

  it('tries again with the key that it has, also with another token', async () => {
    const [token, another] = [await joining('dddddd'), await joining('eeeeee')];
    const key = newKey();
    await kubelet(token, 'd', { key });
    await kubelet(another, 'd', { key });
    await nodeClient(another, 'd', key);
    await expect(nodeClient(another, 'd')).rejects.toThrow('another host is joining as node d');
  });
});
