import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withDescendants } from '../limits/descendants.ts';
import { type DaemonSite, livingDaemons, startShare, startShares, stopIdleDaemons, stopShares } from './daemons.ts';
import { identityOf } from './mounts.ts';
import { NOBODY } from './owner.ts';
import { findVirtiofsd } from './program.ts';
import { giveSocket, isListening } from './virtiofsd.ts';

const isRoot = process.getuid?.() === 0;
const isInstalled = (await findVirtiofsd()) !== undefined;

let site: DaemonSite;
let shared = '';
beforeEach(async () => {
  const base = await mkdtemp(join(tmpdir(), 'vireo-fs-'));
  const directory = join(base, 'vmi');
  shared = join(base, 'shared');
  await mkdir(directory);
  await mkdir(shared);
  site = { directory, sockets: join(base, 's'), onStart: vi.fn(async () => {}), onExit: vi.fn() };
});
afterEach(async () => {
  await stopShares(site.directory, memoryLog());
  await rm(join(site.directory, '..'), { recursive: true });
});

const share = () => ({ name: 'share', directory: shared, isReadOnly: false, ...(isRoot && { owner: NOBODY }) });

/** The fields of /proc/PID/status. */
const statusOf = async (pid: number): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n').map((line) => {
      const [name = '', ...values] = line.split(/[:\s]+/);
      return [name, values];
    }),
  );

describe.runIf(isInstalled)('virtiofsd', () => {
  it.runIf(isRoot)('is an unprivileged user of its own, to whom only its guest can connect', async () => {
    const user = { uid: 1_900_000_001, gid: 1_900_000_000 };
    const { share: started } = await startShares([share()], { ...site, user });
    const [daemon] = await livingDaemons(site.directory);
    const status = await statusOf(daemon?.pid ?? 0);
    expect(status).toMatchObject({ Uid: Array(4).fill(String(NOBODY.uid)), Gid: Array(4).fill(String(NOBODY.gid)) });
    expect(status).toMatchObject({ NoNewPrivs: ['1'], Groups: [''] });
    expect(await readFile(`/proc/${daemon?.pid}/uid_map`, 'utf8')).toMatch(new RegExp(`^ +0 +${NOBODY.uid} +65536\n$`));
    const found = await stat(started?.socket ?? '');
    expect({ uid: found.uid, gid: found.gid, mode: found.mode & 0o777 }).toEqual({ ...user, mode: 0o600 });
  });

  it('listens when it is handed out, and is noted for whoever comes next', async () => {
    await startShares([share()], site);
    const [daemon] = await livingDaemons(site.directory);
    expect(daemon).toMatchObject({ name: 'share', isReadOnly: false });
    expect(await isListening(daemon?.pid ?? 0)).toBe(true);
    expect(site.onStart).toHaveBeenCalledWith(daemon?.pid);
  });

  it('is started anew for another try of a start, which ends the one that nobody has connected to', async () => {
    await startShares([share()], site);
    const [first] = await livingDaemons(site.directory);
    await startShares([share()], site);
    await vi.waitFor(async () => expect(await livingDaemons(site.directory)).toHaveLength(1));
    expect((await livingDaemons(site.directory))[0]?.pid).not.toBe(first?.pid);
    await vi.waitFor(() => expect(site.onExit).toHaveBeenCalledOnce());
  });

  it('says why it cannot share', async () => {
    const missing = { ...share(), directory: join(shared, 'missing') };
    await expect(startShares([missing], site)).rejects.toThrow(/^filesystem "share": .*missing/);
    expect(await livingDaemons(site.directory)).toEqual([]);
    expect(await readdir(site.sockets)).toEqual([]);
  });

  it('says the last words of a long log, which is cut', async () => {
    const log = join(site.directory, 'virtiofsd.log');
    await writeFile(log, 'x\n'.repeat(1 << 20));
    const missing = { ...share(), directory: join(shared, 'missing') };
    await expect(startShares([missing], site)).rejects.toThrow(/missing/);
    expect((await stat(log)).size).toBeLessThan(4096);
  });

  it('serves what it was asked to, when two are started at the same time', async () => {
    const names = ['one', 'two'];
    for (const name of names) await mkdir(join(shared, name));
    const started = await Promise.all(
      names.map((name) => startShare({ ...share(), name, directory: join(shared, name) }, site)),
    );
    expect(new Set(started.map(({ socket }) => socket)).size).toBe(2);
    expect((await livingDaemons(site.directory)).map(({ name }) => name)).toEqual(names);
    for (const { pid, name } of started) {
      const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8');
      expect(mounts).toContain(`/shared/${name} `);
    }
  });

  it('is ended when its guest’s group cannot have it', async () => {
    let pids: number[] = [];
    const onStart = async (pid: number): Promise<void> => {
      pids = await withDescendants(pid);
      throw new Error('no group');
    };
    await expect(startShares([share()], { ...site, onStart })).rejects.toThrow('no group');
    expect(pids.length).toBeGreaterThan(0);
    await vi.waitFor(async () => {
      for (const pid of pids) expect(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')).toMatch(/\) Z/);
    });
  });

  it('is ended when a start was needless, unless it serves somebody', async () => {
    const { share: first } = await startShares([share()], site);
    const [serving] = await livingDaemons(site.directory);
    const guest = connect(first?.socket ?? '');
    try {
      await vi.waitFor(async () => expect(await isListening(serving?.pid ?? 0)).toBe(false));
      await startShares([share()], site);
      expect(await livingDaemons(site.directory)).toHaveLength(2);
      await stopIdleDaemons(site.directory);
      await vi.waitFor(async () => expect(await livingDaemons(site.directory)).toEqual([serving]));
    } finally {
      guest.destroy();
    }
  });

  it('does not share a directory that has taken the place of the one that was checked', async () => {
    const handle = await open(shared);
    try {
      const checked = { ...share(), identity: await identityOf(handle) };
      await startShares([checked], site);
      await rename(shared, `${shared}.away`);
      await symlink(site.directory, shared);
      await expect(startShares([checked], site)).rejects.toThrow('was replaced by another directory');
    } finally {
      await handle.close();
    }
  });
});

it('notes that cannot be read are told, and keep nothing from being removed', async () => {
  const notes = join(site.directory, 'virtiofsd.json');
  await writeFile(notes, '[{"pid"');
  await expect(livingDaemons(site.directory)).rejects.toThrow(notes);
  const log = memoryLog();
  await stopShares(site.directory, log);
  expect(log.entries).toMatchObject([{ level: 'warn' }]);
});

it.runIf(isRoot)('nothing but the socket of its owner is given to a guest', async () => {
  const [owner, user] = [
    { uid: 0, gid: 0 },
    { uid: 1_900_000_001, gid: 1_900_000_000 },
  ];
  const socket = join(shared, 's');
  const server = createServer().listen(socket);
  try {
    await vi.waitFor(() => stat(socket));
    const [file, link] = [join(shared, 'file'), join(shared, 'link')];
    await writeFile(file, '');
    await chmod(file, 0o644);
    await symlink(socket, link);
    for (const path of [file, link]) await expect(giveSocket(path, owner, user)).rejects.toThrow('is not the socket');
    await expect(giveSocket(socket, { uid: 1, gid: 1 }, user)).rejects.toThrow('is not the socket');
    expect((await stat(socket)).uid).toBe(0);
    await giveSocket(socket, owner, user);
    expect(await stat(socket)).toMatchObject(user);
  } finally {
    server.close();
  }
});
