import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { allow, withdraw } from './grants.ts';
import { commandAs } from './processes.ts';

const run = promisify(execFile);
const GUEST = { uid: 1_966_000_001, gid: 1_966_000_000 };

describe.skipIf(process.getuid?.() !== 0)('a grant', () => {
  let directory: string;
  let mounts: string[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-grants-'));
    await chmod(directory, 0o711);
    mounts = [];
  });
  afterEach(async () => {
    for (const each of mounts) await run('umount', [each]);
    await rm(directory, { recursive: true, force: true });
  });

  const file = async (name: string, mode = 0o600): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, '', { mode });
    return path;
  };
  /** A file system of its own; hosts that let nobody mount one skip the test. */
  const mount = async (kind: 'tmpfs' | 'ramfs', context: TestContext): Promise<string> => {
    const path = join(directory, kind);
    await mkdir(path);
    await run('mount', ['-t', kind, '-o', 'mode=0711', kind, path]).catch(() => context.skip());
    mounts.push(path);
    return path;
  };
  const can = async (letter: 'r' | 'w', path: string): Promise<boolean> => {
    const [program = '', ...words] = commandAs(GUEST, ['test', `-${letter}`, path]);
    return run(program, words).then(
      () => true,
      () => false,
    );
  };
  const acl = async (path: string): Promise<string> =>
    (await run('getfacl', ['--numeric', '--omit-header', '--absolute-names', path])).stdout;

  it.each(['own', 'read', 'write'] as const)('to %s gives away nothing that a link leads to', async (access) => {
    const secret = await file('secret');
    const disk = join(directory, 'disk.img');
    await symlink(secret, disk);
    await expect(allow({ path: disk, access }, GUEST.uid)).rejects.toThrow(`${disk} is a symbolic link`);
    expect((await stat(secret)).uid).toBe(0);
    expect(await acl(secret)).not.toContain(GUEST.uid);
    await run('mkfifo', [join(directory, 'fifo')]);
    await expect(allow({ path: join(directory, 'fifo'), access }, GUEST.uid)).rejects.toThrow('neither a file');
  });

  it('follows no link in the directories of a volume', async () => {
    const [state, theirs] = [join(directory, 'state'), join(directory, 'theirs')];
    for (const each of [state, theirs]) await mkdir(each);
    const secret = await file('theirs/vars.fd');
    await symlink(theirs, join(state, 'nvram'));
    const grant = { path: join(state, 'nvram/vars.fd'), root: state, access: 'own' } as const;
    await expect(allow(grant, GUEST.uid)).rejects.toThrow(`a directory between ${state} and`);
    expect((await stat(secret)).uid).toBe(0);
    // Nor when it is taken back: what it leads to may be the same guest's, by another way.
    await chown(secret, GUEST.uid, 0);
    await withdraw([grant], GUEST.uid);
    expect((await stat(secret)).uid).toBe(GUEST.uid);
  });

  it('takes nothing back from what a link leads to by now', async () => {
    const disk = await file('disk.img');
    const other = await file('other');
    const grant = { path: disk, access: 'own' } as const;
    await allow(grant, GUEST.uid);
    await rename(disk, join(directory, 'moved'));
    await chown(other, GUEST.uid, 0);
    await symlink(other, disk);
    await withdraw([grant], GUEST.uid);
    expect((await stat(other)).uid).toBe(GUEST.uid);
  });

  it('needs nothing where everybody has the right', async () => {
    const image = await file('image', 0o644);
    await allow({ path: image, access: 'read' }, GUEST.uid);
    expect(await acl(image)).not.toContain(GUEST.uid);
    await allow({ path: image, access: 'write' }, GUEST.uid);
    expect(await can('w', image)).toBe(true);
    await withdraw([{ path: image, access: 'write' }], GUEST.uid);
    expect(await can('w', image)).toBe(false);
  });

  it('that the file system refuses names the file', async (context) => {
    const disk = await file('disk.img');
    await run('chattr', ['+i', disk]).catch(() => context.skip());
    try {
      await expect(allow({ path: disk, access: 'read' }, GUEST.uid)).rejects.toThrow(
        `setfacl: ${disk}: Operation not permitted`,
      );
      await expect(allow({ path: disk, access: 'own' }, GUEST.uid)).rejects.toThrow(disk);
    } finally {
      await run('chattr', ['-i', disk]);
    }
  });

  it('on a read-only file system is what everybody has, and no reason to fail in the end', async (context) => {
    const place = await mount('tmpfs', context);
    const [open, closed, given] = ['open.iso', 'closed.iso', 'given.iso'].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(open, '', { mode: 0o644 });
    await writeFile(closed, '', { mode: 0o600 });
    await writeFile(given, '', { mode: 0o600 });
    await allow({ path: given, access: 'read' }, GUEST.uid);
    await run('mount', ['-o', 'remount,ro', place]);
    await allow({ path: open, access: 'read' }, GUEST.uid);
    expect(await can('r', open)).toBe(true);
    await expect(allow({ path: closed, access: 'read' }, GUEST.uid)).rejects.toThrow(
      `the guest may not read ${closed}, and its file system is read-only: let every user read the file`,
    );
    await expect(allow({ path: open, access: 'write' }, GUEST.uid)).rejects.toThrow(
      `the guest may not write ${open}, and its file system is read-only: mount it writable`,
    );
    await withdraw(
      [open, closed, given].map((path) => ({ path, access: 'read' })),
      GUEST.uid,
    );
  });

  it('without access control lists lets one write and nobody but the owner read, and gives the file back', async (context) => {
    const place = await mount('ramfs', context);
    const disk = join(place, 'disk.img');
    await writeFile(disk, '', { mode: 0o640 });
    await chmod(disk, 0o640);
    await chown(disk, 4321, 4321);
    await expect(allow({ path: disk, access: 'read' }, GUEST.uid)).rejects.toThrow(
      `the guest may not read ${disk}, and its file system has no access control lists: let every user read the file`,
    );
    expect(await can('w', disk)).toBe(false);
    const grant = { path: disk, access: 'write', former: { uid: 4321, mode: 0o640 } } as const;
    await allow(grant, GUEST.uid);
    expect(await can('w', disk)).toBe(true);
    // Its owner for now can open it to others.
    await chmod(disk, 0o666);
    await withdraw([grant], GUEST.uid);
    const { uid, gid, mode } = await stat(disk);
    expect([uid, gid, mode & 0o7777]).toEqual([4321, 4321, 0o640]);
  });

  it('that cannot be looked at stays to be taken back, and so do no others', async () => {
    const disk = await file('disk.img');
    await allow({ path: disk, access: 'own' }, GUEST.uid);
    const loop = join(directory, 'loop');
    await symlink(loop, loop);
    const grants = [
      { path: join(directory, 'gone'), access: 'read' },
      { path: join(disk, 'below'), access: 'read' },
      { path: join(loop, 'disk.img'), access: 'read' },
      { path: disk, access: 'own' },
    ] as const;
    await expect(withdraw(grants, GUEST.uid)).rejects.toThrow('ELOOP');
    expect((await stat(disk)).uid).toBe(0);
    await withdraw([grants[0], grants[1]], GUEST.uid);
  });
});
