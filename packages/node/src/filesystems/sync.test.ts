import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { emptyCache, type RunningVmi } from '../vmi/localVmi.ts';
import { writeNotes } from './notes.ts';
import { FILESYSTEMS_MS, syncFilesystems } from './sync.ts';

let directory = '';
let nowMs = 1_000_000;
let data: Record<string, string> | undefined = { key: 'one' };
const event = vi.fn();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-sync-'));
  data = { key: 'one' };
  event.mockClear();
});
afterEach(() => rm(directory, { recursive: true }));

/** A ConfigMap that can change, on a clock that can be moved. */
const context = (): NodeContext =>
  ({
    clock: { now: () => nowMs },
    recorder: { event },
    layout: { isRoot: false, volumes: '/volumes' },
    kubelet: {
      of: (kind: unknown) => ({
        get: async () => {
          if (kind !== ConfigMap || !data) throw new Error('configmaps "conf" not found');
          return { data };
        },
      }),
    },
  }) as unknown as NodeContext;

const running = (): RunningVmi =>
  ({
    cache: emptyCache(),
    files: { directory },
    domain: { view: { filesystems: ['conf'] } },
    vmi: {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        domain: { devices: { filesystems: [{ name: 'conf', virtiofs: {} }] } },
        volumes: [{ name: 'conf', configMap: { name: 'conf' } }],
      },
    },
  }) as unknown as RunningVmi;

const served = (): Promise<void> => {
  const daemon = { pid: process.pid, startedAt: '', socket: '', name: 'conf', isReadOnly: true };
  return readFile('/proc/self/stat', 'latin1').then((text) =>
    writeNotes(directory, [{ ...daemon, startedAt: text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '' }]),
  );
};

describe('the filesystems of a guest that runs', () => {
  it('are brought up to date after a while, and keep what they have when the object is gone', async () => {
    const [local, node] = [running(), context()];
    const content = () => readFile(join(directory, 'filesystems/conf/key'), 'utf8').catch(() => undefined);
    await syncFilesystems(local, node);
    expect(await content()).toBeUndefined();
    nowMs += FILESYSTEMS_MS;
    await syncFilesystems(local, node);
    expect(await content()).toBe('one');
    data = { key: 'two' };
    await syncFilesystems(local, node);
    expect(await content()).toBe('one');
    nowMs += FILESYSTEMS_MS;
    await syncFilesystems(local, node);
    expect(await content()).toBe('two');
    data = undefined;
    for (let count = 0; count < 2; count++) {
      nowMs += FILESYSTEMS_MS;
      await syncFilesystems(local, node);
    }
    expect(await content()).toBe('two');
    const failures = event.mock.calls.filter(([, , reason]) => reason === 'FailedRefresh');
    expect(failures).toEqual([
      [local.vmi, 'Warning', 'FailedRefresh', 'filesystem "conf": configmaps "conf" not found'],
    ]);
  });

  it('are lost with what serves them, which is told once', async () => {
    const [local, node] = [running(), context()];
    await served();
    expect(await syncFilesystems(local, node)).toEqual({ status: 'True' });
    await writeNotes(directory, []);
    for (let count = 0; count < 2; count++)
      expect(await syncFilesystems(local, node)).toMatchObject({
        status: 'False',
        reason: 'VirtiofsdExited',
        message: expect.stringContaining('filesystem "conf" has exited'),
      });
    expect(event).toHaveBeenCalledOnce();
  });
});
