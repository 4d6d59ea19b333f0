import { once } from 'node:events';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { ConfigMap, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { Client, type NodeUpload } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServedExtension } from '../remote/serve.ts';
import { inProcessNode } from '../streams/nodeConnections.ts';
import { accountTransport, type Installation, install, serveInstance } from '../testing/installation.ts';

/** As the settings of the importer tell users. */
const HOST = 'uploads.example';

let installed: Installation;
let second: ServedExtension;
const stop = new AbortController();
/** What has reached the node; an upload that broke off is one of nothing. */
const received: (Buffer | undefined)[] = [];
let begun = 0;

const upload = async ({ data }: NodeUpload): Promise<void> => {
  begun++;
  received.push(await buffer(data).catch(() => undefined));
};

beforeAll(async () => {
  const node = inProcessNode({
    handle: (_, response) => void response.writeHead(500).end(),
    upgrade: () => {},
    upload,
  });
  const nodes = () => node;
  installed = await install({ carrier: 'remote', nodes });
  const { client: admin } = installed.server;
  const account = new Client(await accountTransport(installed.server));
  second = await serveInstance(installed.server, { client: account, nodes }, stop.signal, 'second');
  await admin.of(CDIConfig).create({
    metadata: { name: 'config' },
    spec: { uploadProxyURLOverride: `https://${HOST}:31001` },
  });
  const size = { storage: '1Gi' };
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }];
  await admin.of(PersistentVolume).create({
    metadata: { name: 'volume' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: size,
      local: { path: '/x' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  await admin.of(PersistentVolumeClaim).create({
    metadata: { name: 'disk', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: 'volume',
      resources: { requests: size },
    },
  });
});
afterAll(async () => {
  await second?.close();
  stop.abort();
  await installed?.close();
});

async function token(): Promise<string> {
  const path = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests';
  const answer = await installed.server.client.call({ method: 'POST', path, body: { spec: { pvcName: 'disk' } } });
  return (answer as { status: { token: string } }).status.token;
}

it('an upload that broke off at one instance is taken by another, with the same token and a certificate that is trusted', async () => {
  const map = await installed.server.client.of(ConfigMap).get('kubevirt-ca', { namespace: 'kubevirt' });
  const headers = { authorization: `Bearer ${await token()}` };
  const begin = (port: number, length: number) =>
    https.request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/v1beta1/upload',
      headers: { ...headers, 'content-length': length },
      ca: map.data?.['ca-bundle'],
      servername: HOST,
      agent: false,
    });
  /** The certificate follows the settings in a moment. */
  const connected = async (port: number, length: number): Promise<ReturnType<typeof begin>> => {
    for (;;) {
      const sent = begin(port, length);
      const failed = once(sent, 'error') as Promise<[NodeJS.ErrnoException]>;
      const trusted = once(sent, 'socket').then(([socket]) => once(socket, 'secureConnect'));
      trusted.catch(() => {});
      sent.flushHeaders();
      const [error] = await Promise.race([failed, trusted.then(() => [])]);
      if (!error) return sent.on('error', () => {});
      expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    }
  };
  const half = await connected(installed.port ?? 0, 1 << 20);
  half.write(Buffer.alloc(1 << 19));
  while (begun === 0) await new Promise(setImmediate);
  half.destroy();
  while (received.length === 0) await new Promise(setImmediate);
  expect(received.splice(0)).toEqual([undefined]);
  const data = Buffer.from('the whole disk');
  const whole = await connected(second.port, data.length);
  whole.end(data);
  const [response] = await once(whole, 'response');
  expect(response.statusCode).toBe(200);
  expect(received).toEqual([data]);
});
