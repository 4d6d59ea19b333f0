import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PersistentVolume, PersistentVolumeClaim, Secret, unavailable } from '@vireo/api';
import { TOKEN_HEADER } from '@vireo/api/kinds/export/names.ts';
import { VirtualMachineExport, type VirtualMachineExportStatus } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { VirtualMachineInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { NodeExport, NodeExportRequest } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Dial, inProcessNode } from '../streams/nodeConnections.ts';
import { type Installation, install } from '../testing/installation.ts';

const NODE = 'n1';
const PASSWORD = 'open sesame';
const at = { namespace: 'default' };
const below = (name: string): string => `/api/export.kubevirt.io/v1/namespaces/default/virtualmachineexports/${name}`;
let installed: Installation;
let ca: string;
/** What reached the node. */
const asked: { method?: string; url?: string; range?: string }[] = [];

const handle = ({ method, url, headers }: IncomingMessage, response: ServerResponse): void => {
  asked.push({ method, url, range: headers.range });
  if (url?.includes('/busy/'))
    response.writeHead(503).end(JSON.stringify({ kind: 'Status', message: 'in use by web' }));
  else if (url?.includes('/broken/')) {
    response.writeHead(200, { 'content-length': 100 });
    response.write('begins', () => response.destroy());
  } else if (headers.range)
    response.writeHead(206, { 'content-range': 'bytes 4-7/8', 'content-length': 4, etag: '"m"' }).end('disk');
  else response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 8 }).end('the disk');
};

/** Whether the node is asked by a call. */
let straight = false;

const exported = async ({ claim, headers }: NodeExportRequest): Promise<NodeExport> => {
  if (claim === 'default/busy') throw unavailable('in use here');
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from('here');
    if (claim === 'default/broken') throw unavailable('in use since');
  }
  const whole = claim === 'default/broken' ? '8' : '4';
  return { status: headers.range ? 206 : 200, headers: { etag: '"own"', 'content-length': whole }, body: body() };
};

beforeAll(async () => {
  const node = inProcessNode({ handle, upgrade: () => {} });
  const own = inProcessNode({ handle, upgrade: () => {}, exported });
  const known = (): Dial => (straight ? own : node);
  installed = await install({ nodes: (name) => (name === NODE ? known() : undefined) });
  ca = await readFile(join(installed.server.home, 'pki/ca.crt'), 'utf8');
  const { client } = installed.server;
  for (const name of ['root', 'data', 'busy', 'broken']) {
    await client.of(PersistentVolume).create({
      metadata: { name: `volume-${name}` },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        local: { path: '/x' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE] }] },
            ],
          },
        },
      },
    });
    await client.of(PersistentVolumeClaim).create({
      metadata: { name, ...at },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: `volume-${name}`,
        resources: { requests: { storage: '1Gi' } },
      },
    });
  }
  await client.of(Secret).create({ metadata: { name: 'password', ...at }, stringData: { token: PASSWORD } });
  await offer('disks', { phase: 'Ready', links: { external: links('disks', 'root', 'busy', 'broken') } });
});
afterAll(() => installed?.close());

const links = (name: string, ...volumes: string[]) => ({
  cert: 'the certificate\n',
  volumes: volumes.map((volume) => ({
    name: volume,
    formats: [
      { format: 'raw', url: `https://here${below(name)}/volumes/${volume}/disk.img` },
      { format: 'gzip', url: `https://here${below(name)}/volumes/${volume}/disk.img.gz` },
    ],
  })),
});

/** An export as its controller would have left it. */
async function offer(name: string, status: VirtualMachineExportStatus, source = 'root'): Promise<void> {
  const exports = installed.server.client.of(VirtualMachineExport);
  const kind =
    source === 'root' ? { kind: 'PersistentVolumeClaim' } : { kind: 'VirtualMachine', apiGroup: 'kubevirt.io' };
  await exports.create({ metadata: { name, ...at }, spec: { source: { ...kind, name: source } } });
  const whole = { tokenSecretRef: 'password', ttlExpirationTime: '2999-01-01T00:00:00Z', ...status };
  await exports.patchStatus(name, { status: whole }, { ...at, type: 'merge' });
}

const send = async (
  path: string,
  headers: Record<string, string> = { [TOKEN_HEADER]: PASSWORD },
  method = 'GET',
): Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { port } = installed.server.server;
  const request = https.request({ host: '127.0.0.1', port, path, method, ca, headers, agent: false });
  request.once('response', resolve).once('error', reject).end();
  const response = await promise;
  return { status: response.statusCode ?? 0, body: await text(response), headers: response.headers };
};

describe('a volume of an export', () => {
  const disk = `${below('disks')}/volumes/root/disk.img`;

  it('comes from the node that has it', async () => {
    asked.length = 0;
    expect(await send(disk)).toMatchObject({ status: 200, body: 'the disk', headers: { 'content-length': '8' } });
    expect(asked).toEqual([
      { method: 'GET', url: '/v1/namespaces/default/persistentvolumeclaims/root/export/disk.img', range: undefined },
    ]);
  });

  it('may be asked for with the password in the query, in part, or only asked about', async () => {
    const query = `?${TOKEN_HEADER}=${encodeURIComponent(PASSWORD)}`;
    expect(await send(`${disk}.gz${query}`, {})).toMatchObject({ status: 200, body: 'the disk' });
    const part = await send(disk, { [TOKEN_HEADER]: PASSWORD, range: 'bytes=4-' });
    expect(part).toMatchObject({ status: 206, body: 'disk', headers: { 'content-range': 'bytes 4-7/8', etag: '"m"' } });
    expect(await send(disk, { [TOKEN_HEADER]: PASSWORD }, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it.each([
    [401, 'no password', disk, {}],
    [401, 'with that password', disk, { [TOKEN_HEADER]: 'wrong' }],
    [401, 'with that password', `${below('missing')}/volumes/root/disk.img`, { [TOKEN_HEADER]: PASSWORD }],
    [404, 'has no volumes/data/disk.img', `${below('disks')}/volumes/data/disk.img`, undefined],
    [404, 'has no volumes/root/disk.tar.gz', `${below('disks')}/volumes/root/disk.tar.gz`, undefined],
    [404, 'has no volumes/root/dir/', `${below('disks')}/volumes/root/dir/`, undefined],
    [404, 'has no external/manifests/all', `${below('disks')}/external/manifests/all`, undefined],
    [404, 'does not exist', '/api/export.kubevirt.io/v2/x', undefined],
    [503, 'in use by web', `${below('disks')}/volumes/busy/disk.img`, undefined],
  ] as const)('%i: %s', async (status, words, path, headers) => {
    const response = await send(path, headers);
    expect(response.status).toBe(status);
    expect(response.body).toContain(words);
  });

  it('comes straight from a node in the same process', async () => {
    straight = true;
    const headers = { [TOKEN_HEADER]: PASSWORD, range: 'bytes=0-3' };
    expect(await send(disk, headers)).toMatchObject({ status: 206, body: 'here', headers: { etag: '"own"' } });
    expect(await send(disk, { [TOKEN_HEADER]: PASSWORD }, 'HEAD')).toMatchObject({ body: '' });
    expect(await send(`${below('disks')}/volumes/busy/disk.img`)).toMatchObject({ status: 503, body: 'in use here\n' });
    await expect(send(`${below('disks')}/volumes/broken/disk.img`)).rejects.toThrow(/aborted|hang up/);
    straight = false;
  });

  it('is only read', async () => {
    expect(await send(disk, { [TOKEN_HEADER]: PASSWORD }, 'DELETE')).toMatchObject({ status: 405 });
  });

  it('that breaks off on the way is cut off, so that nobody takes it for whole', async () => {
    await expect(send(`${below('disks')}/volumes/broken/disk.img`)).rejects.toThrow(/aborted|hang up/);
  });

  it('is there as long as the export says so', async () => {
    const links = { external: { cert: '', volumes: [] } };
    const conditions = [{ type: 'Ready', status: 'False', message: 'claim x is in use' }];
    await offer('paused', { phase: 'Pending', conditions, links });
    expect(await send(`${below('paused')}/volumes/root/disk.img`)).toMatchObject({
      status: 503,
      body: 'VirtualMachineExport default/paused is Pending: claim x is in use\n',
    });
    await offer('late', { phase: 'Ready', ttlExpirationTime: '2001-01-01T00:00:00Z', links });
    expect(await send(`${below('late')}/volumes/root/disk.img`)).toMatchObject({ status: 410 });
  });
});

describe('the manifests of an export', () => {
  beforeAll(async () => {
    const { client } = installed.server;
    await client.of(VirtualMachineInstancetype).create({
      metadata: { name: 'small', ...at },
      spec: { cpu: { guest: 2 }, memory: { guest: '128Mi' } },
    });
    await client.of(VirtualMachine).create({
      metadata: { name: 'web', ...at, labels: { app: 'web' } },
      spec: {
        runStrategy: 'Halted',
        instancetype: { kind: 'VirtualMachineInstancetype', name: 'small' },
        dataVolumeTemplates: [
          {
            metadata: { name: 'root' },
            spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
          },
        ],
        template: {
          spec: {
            domain: { devices: { disks: [{ name: 'a', disk: {} }] } },
            volumes: [
              { name: 'a', dataVolume: { name: 'root' } },
              { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
              { name: 'data', memoryDump: { claimName: 'data' } },
            ],
          },
        },
      },
    });
    const manifests = [{ type: 'all', url: `https://here${below('whole-vm')}/external/manifests/all` }];
    await offer(
      'whole-vm',
      { phase: 'Ready', links: { external: { ...links('whole-vm', 'root', 'data'), manifests } } },
      'web',
    );
  });

  it('make the VM anew, with disks that are fetched from the export', async () => {
    const { status, body, headers } = await send(`${below('whole-vm')}/external/manifests/all`);
    expect([status, headers['content-type']]).toEqual([200, 'application/yaml']);
    const objects = parseAllDocuments(body).map((document) => document.toJS());
    const fetching = (volume: string) => ({
      source: {
        http: {
          url: `https://here${below('whole-vm')}/volumes/${volume}/disk.img.gz`,
          certConfigMap: 'export-ca-cm-whole-vm',
          secretExtraHeaders: ['header-secret-whole-vm'],
        },
      },
      storage: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(objects).toMatchObject([
      { kind: 'ConfigMap', metadata: { name: 'export-ca-cm-whole-vm' }, data: { 'ca.pem': 'the certificate\n' } },
      { kind: 'DataVolume', metadata: { name: 'data' }, spec: fetching('data') },
      {
        kind: 'VirtualMachine',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: {
          dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: fetching('root') }],
          template: {
            spec: {
              domain: { cpu: { sockets: 2 }, memory: { guest: '128Mi' } },
              volumes: [
                { name: 'a', dataVolume: { name: 'root' } },
                { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
              ],
            },
          },
        },
      },
    ]);
    expect(objects[2].spec.instancetype).toBeUndefined();
    expect(objects[2].spec.template.spec.volumes).toHaveLength(2);
  });

  it('come as JSON for those who want it, and the Secret that opens the disks beside them', async () => {
    const headers = { [TOKEN_HEADER]: PASSWORD, accept: 'application/json' };
    const all = JSON.parse((await send(`${below('whole-vm')}/external/manifests/all`, headers)).body);
    expect(all).toMatchObject({ kind: 'List', items: [{ kind: 'ConfigMap' }, {}, {}] });
    const secret = JSON.parse((await send(`${below('whole-vm')}/external/manifests/secret`, headers)).body);
    expect(secret.items).toMatchObject([
      { metadata: { name: 'header-secret-whole-vm' }, stringData: { token: `${TOKEN_HEADER}:${PASSWORD}` } },
    ]);
  });
});

describe('an export that is created', () => {
  const create = (spec: object) =>
    installed.server.client
      .of(VirtualMachineExport)
      .create({ metadata: { name: 'e', ...at }, spec: spec as VirtualMachineExport['spec'] }, { dryRun: true });

  it.each([
    [
      'a kind that is not exported',
      { source: { kind: 'Pod', name: 'x' } },
      /spec.source.kind: Vireo can export PersistentVolumeClaim/,
    ],
    [
      'the group of another kind',
      { source: { kind: 'VirtualMachine', name: 'x' } },
      /the group of VirtualMachine is "kubevirt.io", not ""/,
    ],
    ['no name', { source: { kind: 'PersistentVolumeClaim', name: '' } }, /spec.source.name/],
    [
      'a Secret that nothing can be called',
      { source: { kind: 'PersistentVolumeClaim', name: 'x' }, tokenSecretRef: '../x' },
      /spec.tokenSecretRef: "..\/x" is not a valid name/,
    ],
    [
      'no duration',
      { source: { kind: 'PersistentVolumeClaim', name: 'x' }, ttlDuration: 'soon' },
      /spec.ttlDuration: "soon" is not a duration/,
    ],
    [
      'a life that is over',
      { source: { kind: 'PersistentVolumeClaim', name: 'x' }, ttlDuration: '0s' },
      /spec.ttlDuration/,
    ],
  ])('with %s is refused', async (_, spec, says) => {
    await expect(create(spec)).rejects.toThrow(says);
  });

  it('stays as it is', async () => {
    const exports = installed.server.client.of(VirtualMachineExport);
    const change = exports.patch('disks', { spec: { ttlDuration: '9h' } }, { ...at, type: 'merge' });
    await expect(change).rejects.toThrow('the spec of a VirtualMachineExport is immutable');
  });
});
