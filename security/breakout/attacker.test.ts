import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attackAs } from './attacker.ts';
import { differences, identityOf } from './identity.ts';

/** Users that no host has. */
const [GUEST, OTHER] = [1_999_999_001, 1_999_999_002];

describe.skipIf(process.getuid?.() !== 0)('an attacker with the identity of a process', () => {
  let root: string;
  let server: Server;
  const processes: ChildProcess[] = [];
  const sleeper = async (...rights: string[]): Promise<number> => {
    const child = spawn('setpriv', [...rights, 'sleep', '600'], { stdio: 'ignore', cwd: '/' });
    processes.push(child);
    await once(child, 'spawn');
    // setpriv drops rights one after another; the program that it becomes has dropped them all.
    await expect.poll(() => readFile(`/proc/${child.pid}/comm`, 'utf8')).toBe('sleep\n');
    return child.pid as number;
  };
  const asUser = (uid: number): Promise<number> =>
    sleeper(`--reuid=${uid}`, `--regid=${uid}`, `--groups=${uid}`, '--inh-caps=-all', '--no-new-privs');

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'vireo-attacker-'));
    await chmod(root, 0o711);
    for (const [name, uid, mode] of [
      ['own', GUEST, 0o600],
      ['key', 0, 0o600],
      ['public', 0, 0o644],
    ] as const) {
      await writeFile(join(root, name), 'text');
      await chown(join(root, name), uid, 0);
      await chmod(join(root, name), mode);
    }
    await mkdir(join(root, 'inner'), { mode: 0o700 });
    server = createServer().listen(join(root, 'socket'));
    await once(server, 'listening');
    await chmod(join(root, 'socket'), 0o755);
  });
  afterAll(async () => {
    server?.close();
    for (const child of processes) child.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  });

  const tryAll = async (pid: number, other: number) => {
    const path = (name: string): string => join(root, name);
    const attempts = [
      { verb: 'file', words: [path('own'), '600'] },
      { verb: 'file', words: [path('key'), '600'] },
      { verb: 'file', words: [path('public'), '644'] },
      { verb: 'directory', words: [path('inner'), '700'] },
      { verb: 'socket', words: [path('socket')] },
      { verb: 'process', words: [String(other)] },
      { verb: 'process', words: [String(pid)] },
      { verb: 'file', words: [path('no such\tname')] },
    ];
    const { identity, outcomes } = await attackAs(pid, attempts, { scratch: [root] });
    return { identity, ways: outcomes.map((outcome) => [...outcome.keys()].join(' ')) };
  };
  const ALL = 'signal memory environ maps fds root cwd ptrace steal nice';

  it('reaches what that process does, and leaves no trace', async () => {
    const [pid, other] = await Promise.all([asUser(GUEST), asUser(OTHER)]);
    const names = await readdir(root);
    const { identity, ways } = await tryAll(pid, other);
    expect(differences(await identityOf(pid), identity)).toEqual([]);
    expect(ways).toEqual(['read write chmod', '', 'read', '', '', '', ALL, '']);
    expect(await readdir(root)).toEqual(names);
  });

  it('reaches everything if that process is root', async () => {
    const [pid, other] = await Promise.all([sleeper('--no-new-privs'), asUser(OTHER)]);
    const names = await readdir(root);
    const { ways } = await tryAll(pid, other);
    const file = 'read write chmod link';
    expect(ways).toEqual([file, file, file, 'list chmod create symlink', 'connect', ALL, ALL, '']);
    expect(await readdir(root)).toEqual(names);
  });

  it('is told apart from the process if it is somebody else', async () => {
    const [pid, other] = await Promise.all([asUser(GUEST), asUser(OTHER)]);
    const [wanted, got] = await Promise.all([identityOf(pid), identityOf(other)]);
    expect(differences(wanted, got).map((each) => each.split(' ')[0])).toEqual(['Uid', 'Gid', 'Groups']);
  });
});
