import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialSocketOf } from '../api/dial.ts';
import { type NodeLayout, nodeLayout } from '../libvirtd/layout.ts';
import { handOverDirectory } from './ownFile.ts';
import { commandAs, endProcesses, processesOf } from './processes.ts';
import type { GuestUser } from './range.ts';
import { GuestUsers } from './users.ts';

const run = promisify(execFile);
const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'aaaaaaaa-0000-4000-8000-000000000002';

describe.skipIf(process.getuid?.() !== 0)('the users of guests', () => {
  let home: string;
  let layout: NodeLayout;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'vireo-users-'));
    const { run: _, ...rest } = nodeLayout(home, true);
    layout = { ...rest, run: join(home, 'run', 'home') };
    await mkdir(join(layout.run, 'machines'), { recursive: true, mode: 0o700 });
    await mkdir(layout.vmis, { mode: 0o700 });
    await mkdir(join(layout.volumes, 'pv'), { recursive: true, mode: 0o700 });
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const open = async (): Promise<GuestUsers> => {
    const users = await GuestUsers.open(home, layout, expect.unreachable);
    if (!users) throw new Error('guests run as root');
    return users;
  };
  const take = async (users: GuestUsers, uid: string): Promise<GuestUser> => {
    const user = await users.take(uid);
    if (!user) throw new Error('no user was given');
    await users.whenEntered(uid);
    return user;
  };
  /** What a process of that user can do with a file: `r`, `w`. */
  const rights = async ({ uid, gid }: GuestUser, path: string): Promise<string> => {
    const tried = await Promise.all(
      ['r', 'w'].map(async (letter) => {
        const [program, ...words] = commandAs({ uid, gid }, ['test', `-${letter}`, path]);
        return run(program as string, words).then(
          () => letter,
          () => '',
        );
      }),
    );
    return tried.join('');
  };

  it('come into the directory of their own machine, and read what is there by no other way', async () => {
    const users = await open();
    const [a, b] = await Promise.all([take(users, A), take(users, B)]);
    expect(a.gid).toBe(b.gid);
    expect(new Set([a.uid, b.uid, a.gid]).size).toBe(3);
    expect(users.common).toEqual({ uid: a.gid, gid: a.gid });
    const image = join(layout.vmis, A, 'root.base');
    await writeFile(image, 'shared', { mode: 0o644 });
    await writeFile(join(home, 'key'), 'secret', { mode: 0o600 });
    expect(await rights(a, image)).toBe('r');
    expect(await rights(b, image)).toBe('');
    expect(await rights(a, join(home, 'key'))).toBe('');
    // Nobody can put anything beside it that we would take for our own.
    await expect(run('setpriv', commandAs(a, ['touch', join(layout.vmis, A, 'x')]).slice(1))).rejects.toThrow(
      /Permission denied/,
    );
  });

  it('have the disks of claims for as long as their machine has them', async () => {
    const users = await open();
    const [a, b] = await Promise.all([take(users, A), take(users, B)]);
    const own = join(layout.volumes, 'pv', 'disk.img');
    await writeFile(own, '', { mode: 0o600 });
    const shared = join(home, 'elsewhere', 'shared.img');
    await mkdir(join(home, 'elsewhere'), { mode: 0o700 });
    await writeFile(shared, '', { mode: 0o600 });
    await users.grant(A, { volume: 'own', path: own, access: 'own' });
    await users.grant(A, { volume: 'shared', path: shared, access: 'write' });
    await users.grant(B, { volume: 'shared', path: shared, access: 'read' });
    expect([await rights(a, own), await rights(b, own)]).toEqual(['rw', '']);
    expect([await rights(a, shared), await rights(b, shared)]).toEqual(['rw', 'r']);
    await users.revoke(A, ({ volume }) => volume === 'shared');
    expect([await rights(a, shared), await rights(b, shared)]).toEqual(['', 'r']);
    expect(await rights(a, own)).toBe('rw');
    // Another machine has it by now: the end of the first changes nothing for that one.
    await users.grant(B, { volume: 'moved', path: own, access: 'own' });
    await users.release(A);
    expect([await rights(a, own), await rights(b, own)]).toEqual(['', 'rw']);
    await users.release(B);
    expect([await rights(b, own), await rights(b, shared)]).toEqual(['', '']);
    expect((await stat(own)).uid).toBe(0);
  });

  it('cannot open a disk to others for longer than they have it', async () => {
    const users = await open();
    const [a, b] = await Promise.all([take(users, A), take(users, B)]);
    const disk = join(layout.volumes, 'pv', 'disk.img');
    await writeFile(disk, '', { mode: 0o600 });
    const grant = { volume: 'data', path: disk, access: 'own' } as const;
    await users.grant(A, grant);
    const [program, ...words] = commandAs(a, ['setfacl', '-m', `u:${b.uid}:rw,o::rw`, disk]);
    await run(program as string, words);
    expect(await rights(b, disk)).toBe('rw');
    await users.release(A);
    expect(await rights(b, disk)).toBe('');
    // Further readers leave closed what was closed.
    const next = await take(users, A);
    await users.grant(A, { ...grant, access: 'read' });
    expect([await rights(next, disk), await rights(b, disk)]).toEqual(['r', '']);
  });

  it('do not come into the directory of a machine that has its own things there', async () => {
    const users = await open();
    const [a, b] = await Promise.all([take(users, A), take(users, B)]);
    const directory = join(layout.vmis, A);
    for (const name of ['nvram.fd', 'root.base']) await writeFile(join(directory, name), '', { mode: 0o644 });
    await users.grant(A, { volume: 'state', path: join(directory, 'nvram.fd'), access: 'own' });
    expect([await rights(a, join(directory, 'root.base')), await rights(b, join(directory, 'root.base'))]).toEqual([
      'r',
      '',
    ]);
  });

  it('cannot look into what libvirtd makes for others with their group', async () => {
    const users = await open();
    const [a, b] = await Promise.all([take(users, A), take(users, B)]);
    const directory = join(layout.libvirt, 'lib/qemu/domain-1-a');
    await mkdir(directory, { mode: 0o750 });
    await run('chown', [`${a.uid}:${a.gid}`, directory]);
    await run('chmod', ['750', directory]);
    // As in libvirtd's own view of the host, in which the directories above are others.
    await run('chmod', ['711', home, layout.libvirt, join(layout.libvirt, 'lib')]);
    expect([await rights(a, directory), await rights(b, directory)]).toEqual(['rw', '']);
  });

  it('are found again, with what they were given', async () => {
    const first = await open();
    const a = await take(first, A);
    const disk = join(layout.volumes, 'pv', 'disk.img');
    await writeFile(disk, '', { mode: 0o600 });
    await first.grant(A, { volume: 'own', path: disk, access: 'own' });
    const second = await open();
    expect(second.of(A)).toEqual(a);
    expect(second.of(B)).toBeUndefined();
    expect((await take(second, B)).uid).not.toBe(a.uid);
    await second.release(A);
    expect((await stat(disk)).uid).toBe(0);
    expect(second.of(A)).toBeUndefined();
  });

  it('are found again after a crash at any point, and with a ledger that is damaged', async () => {
    const a = await take(await open(), A);
    const [directory, log] = [join(layout.vmis, A), join(layout.vmis, A, 'log')];
    await writeFile(log, '', { mode: 0o644 });
    // It was written down, and then the host went off.
    await run('setfacl', ['--remove-all', directory]);
    expect(await rights(a, log)).toBe('');
    expect(await take(await open(), A)).toEqual(a);
    expect(await rights(a, log)).toBe('r');
    await writeFile(join(directory, '.user.json'), '');
    const users = await open();
    expect(users.of(A)).toEqual(a);
    expect((await take(users, B)).uid).not.toBe(a.uid);
    await users.release(A);
    expect(await rights(a, log)).toBe('');
  });

  it('stay what they are where a host can no longer make users', async () => {
    const before = await open();
    const a = await take(before, A);
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    const why: string[] = [];
    try {
      const users = await GuestUsers.open(home, layout, (reason) => why.push(reason));
      expect(users?.of(A)).toEqual(a);
      expect(await users?.take(B)).toBeUndefined();
      expect(users?.common).toBeUndefined();
    } finally {
      process.env.PATH = path;
    }
    expect(why).toEqual([expect.stringMatching(/^processes cannot run as other users: /)]);
  });

  it('leave no process behind', async () => {
    const users = await open();
    const a = await take(users, A);
    const [program, ...words] = commandAs(a, ['sleep', '600']);
    const left = run(program as string, words).catch((error: { signal?: string }) => error.signal);
    await expect
      .poll(async () => (await run('ps', ['-u', String(a.uid), '-o', 'comm=']).catch(() => ({ stdout: '' }))).stdout)
      .toContain('sleep');
    await users.release(A);
    expect(await left).toBe('SIGKILL');
  });

  it('cannot defend a process by killing the one that is to kill it', async () => {
    const a = await take(await open(), A);
    const [program, ...words] = commandAs(a, ['sleep', '600']);
    const left = run(program as string, words).catch((error: { signal?: string }) => error.signal);
    await expect.poll(() => processesOf(a.uid)).toHaveLength(1);
    await endProcesses(a, async () => new Error('the killer was killed'));
    expect(await left).toBe('SIGKILL');
    await endProcesses(a, async () => new Error('there is nobody'));
  });

  it('get nothing that an earlier guest has put where their files are', async () => {
    const { uid } = await take(await open(), A);
    const state = join(home, 'state');
    await mkdir(state);
    const secret = join(home, 'secret');
    await writeFile(secret, 'secret', { mode: 0o600 });
    await writeFile(join(state, 'plain'), '', { mode: 0o600 });
    await symlink(secret, join(state, 'symbolic'));
    await link(secret, join(state, 'hard'));
    await handOverDirectory(state, uid);
    expect((await stat(join(state, 'plain'))).uid).toBe(uid);
    expect((await stat(secret)).uid).toBe(0);
    expect(await readFile(secret, 'utf8')).toBe('secret');
    await expect(stat(join(state, 'hard'))).rejects.toThrow('ENOENT');
    await expect(stat(join(state, 'symbolic'))).rejects.toThrow('ENOENT');
  });

  it('cannot lead us to the socket of somebody else', async () => {
    const { uid } = await take(await open(), A);
    const servers: Server[] = [];
    const listen = async (path: string): Promise<void> => {
      const server = createServer().listen(path);
      await new Promise((resolve) => server.once('listening', resolve));
      servers.push(server);
    };
    const [theirs, own, linked, hard] = ['theirs', 'own', 'linked', 'hard'].map((name) => join(home, name));
    await listen(theirs as string);
    await listen(own as string);
    await run('chown', [String(uid), own as string]);
    await symlink(theirs as string, linked as string);
    await link(theirs as string, hard as string);
    const socket = await dialSocketOf(uid, own as string);
    socket.destroy();
    for (const path of [theirs, linked, hard, home])
      await expect(dialSocketOf(uid, path as string)).rejects.toThrow(/cannot reach the guest/);
    for (const server of servers) server.close();
  });
});
