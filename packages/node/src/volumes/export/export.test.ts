import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ApiError } from '@vireo/api';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendExport } from '../../api/export.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

const MIB = 1 << 20;
let cluster: VolumeCluster;
let server: Server;
let directory: string;

beforeAll(async () => {
  cluster = await startVolumeCluster();
  await cluster.claim('disk');
  const volume = await cluster.volumeOf('disk');
  directory = join(cluster.directory, volume.metadata.name);
  const file = await open(join(directory, 'disk.img'), 'r+');
  await file.write('first bytes', 0);
  await file.write('last bytes', 16 * MIB - 10);
  await file.close();
  server = createServer((request, response) => {
    const [, claim = '', path = ''] = /^\/([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    sendExport(request, response, `${NAMESPACE}/${claim}`, path, cluster.volumes).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof ApiError) response.writeHead(error.code).end(error.message);
      else response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  await new Promise((resolve) => server?.close(resolve));
  await cluster?.close();
});

const fetched = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
  const response = await fetch(url, { method, headers });
  return {
    status: response.status,
    header: (name: string) => response.headers.get(name),
    body: Buffer.from(await response.arrayBuffer()),
  };
};

const sha = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

const expected = (() => {
  const disk = Buffer.alloc(16 * MIB);
  disk.write('first bytes');
  disk.write('last bytes', disk.length - 10);
  return disk;
})();

describe('the disk of a claim', () => {
  it('can be had raw, and packed', async () => {
    const raw = await fetched('disk/disk.img');
    expect(raw.header('content-length')).toBe(String(16 * MIB));
    expect(sha(raw.body)).toBe(sha(expected));
    const packed = await fetched('disk/disk.img.gz');
    expect(packed.header('accept-ranges')).toBe('none');
    expect(sha(gunzipSync(packed.body))).toBe(sha(expected));
    expect(packed.body.length).toBeLessThan(MIB / 4);
  });

  it('can be asked about, and had in part', async () => {
    const head = await fetched('disk/disk.img', {}, 'HEAD');
    expect([head.status, head.header('content-length'), head.body.length]).toEqual([200, String(16 * MIB), 0]);
    const etag = head.header('etag') ?? '';
    const part = await fetched('disk/disk.img', { range: 'bytes=-10', 'if-range': etag });
    expect([part.status, part.body.toString()]).toEqual([206, 'last bytes']);
    expect(part.header('content-range')).toBe(`bytes ${16 * MIB - 10}-${16 * MIB - 1}/${16 * MIB}`);
    const changed = await fetched('disk/disk.img', { range: 'bytes=-10', 'if-range': '"another"' });
    expect([changed.status, changed.body.length]).toEqual([200, 16 * MIB]);
    const beyond = await fetched('disk/disk.img', { range: `bytes=${16 * MIB}-` });
    expect([beyond.status, beyond.header('content-range')]).toEqual([416, `bytes */${16 * MIB}`]);
  });
});

describe('the files of a claim', () => {
  it('are listed and can be had; a disk that is blank is none of them', async () => {
    await cluster.claim('dumps');
    const { metadata } = await cluster.volumeOf('dumps');
    await writeFile(join(cluster.directory, metadata.name, 'web-dumps.memory.dump'), 'the memory');
    expect((await fetched('dumps/dir/')).body.toString()).toBe(
      '<!doctype html>\n<pre>\n<a href="web-dumps.memory.dump">web-dumps.memory.dump</a>\n</pre>\n',
    );
    expect((await fetched('dumps/dir/web-dumps.memory.dump')).body.toString()).toBe('the memory');
    const archive = gunzipSync((await fetched('dumps/disk.tar.gz')).body);
    expect(archive.subarray(0, 21).toString()).toBe('web-dumps.memory.dump');
    expect(archive.subarray(512, 522).toString()).toBe('the memory');
    expect(archive.length).toBe(4 * 512);
  });

  it.each(['dir/..%2f..%2fstore.db', 'dir/disk.img', 'dir/other', 'etc/passwd', 'dir/%ff'])(
    '%s is none',
    async (path) => {
      expect([400, 404]).toContain((await fetched(`dumps/${path}`)).status);
    },
  );
});

describe('a claim', () => {
  it.each([
    ['missing', {}, 'PersistentVolumeClaim shop/missing does not exist'],
    ['waiting', { annotations: { [UPLOAD_TARGET]: '' } }, 'PersistentVolumeClaim shop/waiting is not populated yet'],
  ])('that is %s is refused', async (name, { annotations }: { annotations?: Record<string, string> }, says) => {
    if (annotations) {
      await cluster.claim(name, {}, annotations);
      await cluster.volumeOf(name);
    }
    const { status, body } = await fetched(`${name}/disk.img`);
    expect([status, body.toString()]).toEqual([503, says]);
  });

  it('that a guest writes to is refused, until the guest has gone', async () => {
    const vmis = cluster.admin.of(VirtualMachineInstance);
    const { metadata } = await vmis.create({
      metadata: { name: 'web', namespace: NAMESPACE },
      spec: {
        domain: { devices: {} },
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }],
      },
    });
    cluster.domains.add(metadata.uid);
    const answer = await until(async () => {
      const found = await fetched('disk/disk.img', {}, 'GET');
      return found.status === 503 ? found : undefined;
    });
    expect(answer.body.toString()).toContain('is in use by VirtualMachineInstance web: stop that VM first');
    cluster.domains.delete(metadata.uid);
    expect((await fetched('disk/disk.img.gz')).status).toBe(200);
  });
});
