import { cp, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, ConfigMap } from '@vireo/api';
import { openSqliteStore } from '@vireo/apiserver/store/sqlite.ts';
import { finishRestore } from '@vireo/cli/finishRestore.ts';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVireo, spawnVireo, startVireo, temporaryHome, type Vireo } from './vireo.ts';

const namespace = 'default';
const OBJECTS = 300;

let place: Awaited<ReturnType<typeof temporaryHome>>;
let original: Vireo;
let client: Client;
const acknowledged: string[] = [];
let isWriting = true;
let writer: Promise<void>;

const path = (name: string): string => join(place.home, name);
const clientOf = async ({ kubeconfig }: Vireo): Promise<Client> =>
  new Client(httpTransport(await loadKubeconfig({ path: kubeconfig })));
const write = async (name: string): Promise<void> => {
  await client.of(ConfigMap).create({ metadata: { name, namespace }, data: { text: 'x'.repeat(2000) } });
  acknowledged.push(name);
};
const namesOf = async (of: Client): Promise<Set<string>> =>
  new Set((await of.of(ConfigMap).list({ namespace })).items.map(({ metadata }) => metadata.name));

beforeAll(async () => {
  place = await temporaryHome();
  original = await startVireo({ home: path('original') });
  client = await clientOf(original);
  await Promise.all(Array.from({ length: OBJECTS }, (_, i) => write(`before-${i}`)));
  // Somebody goes on writing all the while.
  writer = (async () => {
    for (let i = 0; isWriting; i++) await write(`while-${i}`);
  })();
});
afterAll(async () => {
  isWriting = false;
  await writer;
  await client?.close();
  await original?.stop();
  await place.remove();
});

describe('vireo backup and restore', () => {
  it('take every write that was acknowledged before to another home, while the server goes on', async () => {
    const before = [...acknowledged];
    const known = (await client.of(ConfigMap).get('before-1', { namespace })).metadata;
    const made = await runVireo(['backup', path('first'), '--home', original.home]);
    expect(made.output).toMatch(/^Backed up \d+ objects, and \d+ files with keys and settings/);
    expect(made.code).toBe(0);
    expect((await stat(path('first'))).mode & 0o777).toBe(0o600);
    expect(await readdir(place.home)).not.toContain('first.partial');
    const later = (await client.of(ConfigMap).list({ namespace })).metadata.resourceVersion;

    const restored = await runVireo(['restore', path('first'), '--home', path('copy')]);
    expect(restored.output).toContain(`Restored ${path('copy')} from a backup of ${original.home}`);
    const copy = await startVireo({ home: path('copy') });
    const other = await clientOf(copy);
    try {
      const names = await namesOf(other);
      expect(before.filter((name) => !names.has(name))).toEqual([]);
      expect((await other.of(ConfigMap).get('before-1', { namespace })).metadata).toEqual(known);
      // The administrator of the original is that of the copy: the keys came along.
      const { items, metadata } = await other.of(ConfigMap).list({ namespace });
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(later) + 1_000_000);
      const write = await other.of(ConfigMap).create({ metadata: { name: 'new', namespace } });
      expect(Number(write.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
      expect(items.length).toBeGreaterThanOrEqual(before.length);
      for (const version of [known.resourceVersion, later]) expect(await watchStatus(other, version)).toBe(410);
    } finally {
      await other.close();
      await copy.stop();
    }
  }, 120_000);

  it('refuse a home in use, one that is not empty, and a file that is there', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, output } = await runVireo(args);
      expect(code).toBe(1);
      return output;
    };
    expect(await refused('restore', path('first'), '--home', original.home, '--replace')).toContain(
      `the home ${original.home} is in use: its server, with pid ${original.pid}, is running`,
    );
    expect(await refused('restore', path('first'), '--home', path('copy'))).toContain('is not empty');
    expect(await refused('backup', path('first'), '--home', original.home)).toContain('already exists');
    expect(await refused('backup', path('x'), '--home', path('nowhere'))).toContain('there is nothing to back up');
    await writeFile(path('damaged'), 'x'.repeat(10_000));
    expect(await refused('restore', path('damaged'), '--home', path('none'))).toContain('it is damaged');
    await expect(readdir(path('none'))).rejects.toThrow('ENOENT');
  });

  it('leave the old home or the new one when they are killed, and `vireo up` finishes them', async () => {
    await runVireo(['backup', path('second'), '--home', original.home]);
    for (const [round, afterMs] of [100, 200, 300].entries()) {
      const home = path(`killed-${round}`);
      await cp(path('copy'), home, { recursive: true });
      const { child, ended } = spawnVireo(['restore', path('second'), '--home', home, '--replace']);
      await delay(afterMs);
      child.kill('SIGKILL');
      await ended;
      await finishRestore(home);
      expect(await stateOf(home)).toMatch(/^(old|new)$/);
      expect(await readdir(join(home, 'pki'))).toContain('ca.key');
    }
    const started = await startVireo({ home: path('killed-0') });
    await started.stop();
  }, 120_000);
});

/** The status of a watch from a version, as the server says it in the stream or before. */
async function watchStatus(of: Client, resourceVersion: string | undefined): Promise<number | undefined> {
  try {
    const query = { watch: true, resourceVersion };
    const path = '/api/v1/namespaces/default/configmaps';
    for await (const { object } of await of.transport.watch({ method: 'GET', path, query }))
      return (object as { code?: number }).code;
    return undefined;
  } catch (error) {
    return (error as ApiError).status.code;
  }
}

/** Whose objects a home has: those of the copy, which made one of its own, or those of the backup. */
async function stateOf(home: string): Promise<string> {
  const store = await openSqliteStore({ file: join(home, 'store.db') });
  const has = (name: string): boolean => store.get(`core/configmaps/${namespace}/${name}`) !== undefined;
  const state = has('before-1') ? (has('new') ? 'old' : 'new') : 'neither';
  await store.close();
  return state;
}
