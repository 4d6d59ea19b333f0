import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DaemonSite, livingDaemons, startShares, stopShares } from './daemons.ts';
import { NOBODY } from './owner.ts';
import { findVirtiofsd } from './program.ts';
import { isListening } from './virtiofsd.ts';

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
  await stopShares(site.directory);
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
  });
});
