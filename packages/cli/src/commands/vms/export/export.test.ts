import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../../testing/scriptedServer.ts';
import { runVireo } from '../../../testing/vireoProcess.ts';
import { volumeDownload } from './source.ts';

const volume = (name: string, ...formats: string[]) => ({
  name,
  formats: formats.map((format) => ({ format, url: `https://inside/${name}.${format}` })),
});
const exported = (...volumes: ReturnType<typeof volume>[]) => ({
  apiVersion: 'export.kubevirt.io/v1',
  kind: 'VirtualMachineExport',
  metadata: { name: 'e', namespace: 'lab' },
  spec: { source: { kind: 'VirtualMachine', name: 'web' } },
  status: { phase: 'Ready', links: { internal: { cert: 'c', volumes } } },
});

it.each([
  { volumes: [volume('a', 'raw', 'gzip')], options: {}, url: 'https://inside/a.gzip', isCompressed: true },
  { volumes: [volume('a', 'raw')], options: {}, url: 'https://inside/a.raw', isCompressed: false },
  {
    volumes: [volume('a', 'gzip'), volume('b', 'tar.gz')],
    options: { volume: 'b' },
    url: 'https://inside/b.tar.gz',
    isCompressed: true,
  },
  {
    volumes: [volume('a', 'gzip')],
    options: { serviceUrl: '127.0.0.1:9' },
    url: 'https://127.0.0.1:9/a.gzip',
    isCompressed: true,
  },
])('of $volumes with $options it is $url', ({ volumes, options, url, isCompressed }) => {
  expect(volumeDownload(exported(...volumes), options)).toEqual({ url, isCompressed, certificate: 'c' });
});

it.each([
  { volumes: [], says: "unable to access the volume info from 'lab/e' VirtualMachineExport" },
  { volumes: [volume('a', 'gzip'), volume('b', 'gzip')], says: 'Select the expected volume using the --volume flag' },
  { volumes: [volume('a', 'dir')], says: "unable to get a valid URL from 'lab/e' VirtualMachineExport" },
])('$says', ({ volumes, says }) => {
  expect(() => volumeDownload(exported(...volumes), {})).toThrow(says);
});

describe('vmexport', () => {
  const disk = Buffer.alloc(200_000, 'disk');
  let directory: string;
  let files: Server;
  let server: ScriptedServer;
  let breaksOff = false;
  /** How many requests are refused first. */
  let refusals = 0;
  const tokens: unknown[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'export-'));
    files = createServer((request, response) => {
      tokens.push(request.headers['x-kubevirt-export-token']);
      if (refusals-- > 0) {
        response.writeHead(503).end('in use by web\n');
        return;
      }
      const texts: Record<string, string> = { '/manifest': 'kind: List\n', '/secret': 'kind: Secret\n' };
      const text = texts[request.url ?? ''];
      const body = text ? Buffer.from(text) : gzipSync(disk);
      response.writeHead(200, { 'content-length': body.length });
      if (breaksOff) response.write(body.subarray(0, 10), () => response.destroy());
      else response.end(body);
    });
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
  });
  afterEach(async () => {
    breaksOff = false;
    refusals = 0;
    tokens.length = 0;
    await server.close();
  });
  afterAll(async () => {
    await new Promise((resolve) => files.close(resolve));
    await rm(directory, { recursive: true });
  });

  /** A server with exports, as far as a download sees it. */
  async function exporter(): Promise<ScriptedServer> {
    const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    const links = {
      cert: '',
      volumes: [{ name: 'disk', formats: [{ format: 'gzip', url: `${origin}/disk` }] }],
      manifests: [
        { type: 'all', url: `${origin}/manifest` },
        { type: 'auth-header-secret', url: `${origin}/secret` },
      ],
    };
    let asked = 0;
    server = await startScriptedServer(({ method, path, body }) => {
      if (method === 'POST') return { status: 201, body };
      if (method === 'DELETE') return { body: { kind: 'Status', status: 'Success' } };
      if (path.endsWith('/secrets/secret-e'))
        return { body: { metadata: {}, data: { token: Buffer.from('t').toString('base64') } } };
      if (!path.endsWith('/virtualmachineexports/e')) return undefined;
      const spec = { source: {}, tokenSecretRef: 'secret-e' };
      return {
        body: {
          metadata: { name: 'e' },
          spec,
          status: asked++ > 0 ? { phase: 'Ready', links: { external: links } } : {},
        },
      };
    });
    return server;
  }
  const run = (...args: string[]) => runVireo(['vmexport', ...args, '--server', server.url], { HOME: directory });

  it('offers, waits, downloads, and ends the offer', async () => {
    await exporter();
    const output = join(directory, 'disk.img');
    const { code, stdout, stderr } = await run('download', 'e', '--vm=web', '--format=raw', `--output=${output}`);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Download finished succesfully\n',
      stderr: "waiting for VM Export e status to be ready...\nVirtualMachineExport 'default/e' deleted succesfully\n",
    });
    expect((await readFile(output)).equals(disk)).toBe(true);
    expect(tokens).toEqual(['t']);
    const created = server.asked.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(created).toMatchObject([
      {
        spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, tokenSecretRef: 'secret-e' },
      },
      { metadata: { name: 'secret-e' }, stringData: { token: expect.stringMatching(/^.{20}$/) } },
    ]);
  });

  it('is refused at once where there is nothing to export', async () => {
    const why = 'VirtualMachine default/web has no disk on a claim';
    const conditions = [{ type: 'Ready', status: 'False', reason: 'VMNoVolumes', message: why }];
    server = await startScriptedServer(({ method, path, body }) => {
      if (method === 'POST') return { status: 201, body };
      if (method === 'DELETE') return { body: { kind: 'Status', status: 'Success' } };
      if (!path.endsWith('/virtualmachineexports/e')) return undefined;
      const spec = { source: { kind: 'VirtualMachine', name: 'web' } };
      return { body: { metadata: { name: 'e' }, spec, status: { phase: 'Skipped', conditions } } };
    });
    const { code, stderr } = await run('download', 'e', '--vm=web', `--output=${join(directory, 'none.gz')}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: nothing to export for e: ${why}\n`);
    expect(stderr).toContain("VirtualMachineExport 'default/e' deleted succesfully");
  });

  it('a download that breaks off leaves no file', async () => {
    await exporter();
    breaksOff = true;
    const output = join(directory, 'broken.gz');
    const { code, stderr } = await run('download', 'e', `--output=${output}`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the download was interrupted') });
    expect(existsSync(output)).toBe(false);
  });

  it('manifests go to one file, the secret with them', async () => {
    await exporter();
    const output = join(directory, 'manifests.yaml');
    const { code } = await run('download', 'e', '--manifest', '--include-secret', `--output=${output}`);
    expect({ code, text: await readFile(output, 'utf8') }).toEqual({ code: 0, text: 'kind: List\nkind: Secret\n' });
  });

  it('is tried again where the server cannot answer yet, and says what the server says', async () => {
    await exporter();
    refusals = 1;
    const output = join(directory, 'late.gz');
    const { code, stderr } = await run('download', 'e', '--retry=1', `--output=${output}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('in use by web; retrying') });
    refusals = 1;
    expect(await run('download', 'e', `--output=${output}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: bad status: 503 Service Unavailable: in use by web'),
    });
  });

  it('manifests go to standard output, and the offer stays', async () => {
    await exporter();
    expect(await run('download', 'e', '--vm=web', '--manifest')).toMatchObject({ code: 0, stdout: 'kind: List\n' });
    expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
  });

  it.each([
    { args: ['create', 'e'], says: 'need to specify export kind' },
    { args: ['create', 'e', '--vm=a', '--pvc=b'], says: 'if any flags in the group [vm snapshot pvc] are set' },
    { args: ['download', 'e'], says: 'Binary output can mess up your terminal' },
    { args: ['download', 'e', '--output=-', '--format=zip'], says: 'supported values: gzip/raw' },
    { args: ['download', 'e', '--manifest', '--volume=v'], says: 'flag --volume is incompatible with --manifest' },
  ])('$args is refused', async ({ args, says }) => {
    await exporter();
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
    expect(server.asked).toEqual([]);
  });
});
