import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { UnknownObject } from '@vireo/api';
import { leftRunning } from '@vireo/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, type Vireo } from '../vireo.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Where each of the homes was made; PersistentVolumes name it. */
const MADE_AT = '/tmp/vireo-home';
const here = fileURLToPath(new URL('.', import.meta.url));
const versions = (await readdir(here)).flatMap((name) => /^(.*)\.tar\.gz$/.exec(name)?.[1] ?? []);

/** Kinds whose objects come and go with guests, heartbeats and time. */
const TRANSIENT = ['Pod', 'VirtualMachineInstance', 'Lease', 'Node', 'Endpoints', 'CertificateSigningRequest'];

/** Says with which template a VM was started; another start makes another. */
const isStartRevision = ({ metadata }: Kept): boolean => metadata.name?.startsWith('revision-start-vm-') ?? false;

type Kept = UnknownObject & { readonly spec?: object; readonly data?: object };

/** Texts of the same length, so that this is safe even inside the database. */
async function rewritePaths(directory: string, from: string, to: string): Promise<void> {
  expect(to).toHaveLength(from.length);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'disk.img') continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    let at = bytes.indexOf(from);
    if (at < 0) continue;
    for (; at >= 0; at = bytes.indexOf(from, at)) bytes.write(to, at);
    await writeFile(path, bytes);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(versions)('a home of version %s', (version) => {
  let home: string;
  let kept: readonly Kept[];
  let vireo: Vireo | undefined;
  let kubectl: Kubectl;

  const start = async (...options: string[]): Promise<void> => {
    vireo = await startVireo({ home, vms: true, options: ['--node-name', 'kept-node', ...options] });
    kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
  };
  const get = <T = Kept>(what: string): Promise<T> => kubectl.json<T>(`get ${what} -n kept -o json`);

  beforeAll(async () => {
    home = await mkdtemp('/tmp/kept');
    const unpack = ['-xzf', join(here, `${version}.tar.gz`), '-C', home, '--strip-components=1', '--no-same-owner'];
    await promisify(execFile)('tar', [...unpack, 'home']);
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', join(here, `${version}.tar.gz`), 'objects.json'], {
      maxBuffer: 1 << 26,
    });
    kept = JSON.parse(stdout.replaceAll(MADE_AT, home));
    await rewritePaths(home, MADE_AT, home);
    await start();
  });
  afterAll(async () => {
    await vireo?.stop();
    await runVireo(['down', '--force', '--home', home]);
    await rm(home, { recursive: true, force: true });
  });

  it('opens, and every object is what it was', async () => {
    const lasting = kept.filter((object) => !TRANSIENT.includes(object.kind) && !isStartRevision(object));
    expect(lasting.length).toBeGreaterThan(70);
    const list = join(home, 'lasting.json');
    await writeFile(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: lasting }));
    const { items } = await kubectl.json<{ items: Kept[] }>(`get -f ${list} -o json`);
    const found = new Map(items.map((object) => [object.metadata.uid, object]));
    for (const { kind, metadata, spec, data } of lasting) {
      const { name, uid, labels } = metadata;
      expect(found.get(uid), `${kind} ${name}`).toMatchObject({
        kind,
        metadata: { name, ...(labels && { labels }) },
        ...(spec && { spec }),
        ...(data && { data }),
      });
    }
  });

  it('starts its VMs and its replicas again, with their data', async () => {
    await kubectl.do('wait vm/web -n kept --for=condition=Ready --timeout=90s');
    await kubectl.do('wait vmirs/workers -n kept --for=jsonpath={.status.readyReplicas}=2 --timeout=90s');
    const { status } = await get<Kept & { status: { volumeStatus: { name: string }[] } }>('vmi/web');
    expect(status.volumeStatus.map(({ name }) => name).sort()).toEqual(['root', 'web-more']);
    const claim = await get<Kept & { spec: { volumeName: string } }>('pvc/web-disk');
    const disk = await open(join(home, 'volumes', claim.spec.volumeName, 'disk.img'));
    const { buffer } = await disk.read({ position: 1 << 20, buffer: Buffer.alloc(9) });
    await disk.close();
    expect(buffer.toString()).toBe('kept data');
  });

  it('restores a VM from a snapshot that it holds', async () => {
    const restore = {
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name: 'again', namespace: 'kept' },
      spec: {
        target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'halted' },
        virtualMachineSnapshotName: 'halted-state',
      },
    };
    await kubectl.do('create -f -', { input: JSON.stringify(restore) });
    await kubectl.do('wait vmrestore/again -n kept --for=jsonpath={.status.complete}=true --timeout=60s');
  });

  it('leaves no libvirtd behind when a start fails, and starts whatever useEmulation was set to', async () => {
    const { spec } = await kubectl.json<{
      spec: { configuration: { developerConfiguration: { useEmulation: boolean } } };
    }>('get kubevirt/kubevirt -n kubevirt -o json');
    const isEmulated = spec.configuration.developerConfiguration.useEmulation;
    const patch = { spec: { configuration: { developerConfiguration: { useEmulation: !isEmulated } } } };
    await kubectl.do(`patch kubevirt/kubevirt -n kubevirt --type=merge -p '${JSON.stringify(patch)}'`);
    await kubectl.do('delete vm,vmirs,vmi --all -n kept --timeout=60s');
    await vireo?.stop();
    vireo = undefined;
    await runVireo(['down', '--home', home]);

    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, resolve));
    const { port } = taken.address() as { port: number };
    await expect(start('--extension-port', String(port))).rejects.toThrow(/EADDRINUSE|in use/);
    expect(await leftRunning(home)).toEqual({ guests: [], libvirtdPid: undefined });
    await new Promise((resolve) => taken.close(resolve));

    const extensionPort = await freePort();
    await start('--listen', 'local', '--extension-port', String(extensionPort));
    const settings = await kubectl.json<typeof patch>('get kubevirt/kubevirt -n kubevirt -o json');
    expect(settings.spec.configuration.developerConfiguration.useEmulation).toBe(isEmulated);

    // The extension's own port is as local as the API's, and answers nobody who shows no certificate.
    expect(await post(extensionPort, '/virtualmachinerestores-validate')).toBe(401);
    const outside = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outside) expect(await refuses(outside.address, extensionPort)).toBe(true);
  });
});

function post(port: number, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = https.request(
    { host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false },
    (response) => {
      response.resume();
      resolve(response.statusCode);
    },
  );
  request.once('error', reject).end('{}');
  return promise;
}

function refuses(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port }, () => resolve(false)).once('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}
