import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { GuestLimits } from '@vireo/hypervisor';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exists } from '../exists.ts';
import type { GroupTree } from './groupTree.ts';
import { GuestGroups } from './guestGroups.ts';
import type { Hierarchy } from './hierarchies.ts';

const MIB = 1024n * 1024n;
const LIMITS: GuestLimits = { memoryBytes: 96n * MIB, cpuShares: 512, cpuMillis: 1500, tasks: 64 };

let home: { run: string; vmis: string };
const children: ChildProcess[] = [];

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-groups-'));
  home = { run: join('/run/vireo', `test-${basename(directory).slice(-6)}`), vmis: directory };
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(home.vmis, { recursive: true, force: true });
});

/** A process that takes as many MiB of memory as it is told to, and says so. */
async function eater(): Promise<ChildProcess> {
  const program = `process.stdin.on('data', (text) => {
    globalThis.eaten = Array.from({ length: Number(text) }, () => Buffer.alloc(1 << 20, 1));
    console.log('full');
  }); console.log('hungry');`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

const { support } = await GuestGroups.open({ run: '/run/vireo/none', vmis: '/nonexistent' });
/** The lab has all that it takes: what is missing there is a failure. */
const canLimit = Object.keys(support.missing).length === 0 || process.env.VIREO_TEST_LAB === '1';

/** The groups of a process that are named so, by the kernel's own account. */
const groupsOf = async (pid: number | undefined): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cgroup`, 'utf8')).split('\n').map((line) => line.split(':').slice(2).join(':'));

describe.skipIf(!canLimit)('on this host', () => {
  it('a process beyond the memory of its group is killed alone, and the group tells so until it is removed', async () => {
    const groups = await GuestGroups.open(home);
    const [greedy, other] = [await eater(), await eater()];
    await groups.limit('greedy', greedy.pid ?? 0, LIMITS);
    await groups.limit('other', other.pid ?? 0, LIMITS);
    expect(await groups.uids()).toEqual(expect.arrayContaining(['greedy', 'other']));
    const own = (await groupsOf(greedy.pid)).filter((path) => path.endsWith('/greedy'));
    expect(own.length).toBeGreaterThan(0);
    expect(await groups.outOfMemory('greedy')).toBeUndefined();

    other.stdin?.write('8');
    await once(other.stdout as NodeJS.ReadableStream, 'data');
    greedy.stdin?.write('512');
    expect(await once(greedy, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await groups.outOfMemory('greedy')).toMatchObject({ isOwnLimit: true, limitBytes: Number(96n * MIB) });
    expect(await groups.outOfMemory('other')).toBeUndefined();
    expect(other.exitCode).toBeNull();

    // A guest that is gone has neither processes nor files; one that has files is still to be told of.
    await mkdir(join(home.vmis, 'greedy'));
    const next = await GuestGroups.open(home);
    expect(await next.outOfMemory('greedy')).toBeDefined();
    await rm(join(home.vmis, 'greedy'), { recursive: true });
    expect(await (await GuestGroups.open(home)).uids()).toEqual(['other']);

    await next.limit('other', other.pid ?? 0, { ...LIMITS, memoryBytes: 128n * MIB });
    const ended = once(other, 'exit');
    await next.remove('other');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await next.uids()).toEqual([]);
    const parents = support.hierarchies.flatMap(({ mount }) => own.map((path) => join(mount, path, '..')));
    expect((await Promise.all(parents.map(exists))).includes(true)).toBe(false);
  });

  it('helpers, with what they have started, may join before the limits of their guest are known', async () => {
    const groups = await GuestGroups.open(home);
    const helper = spawn('sh', ['-c', 'sleep 100 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(helper);
    const [child] = await once(helper.stdout, 'data');
    await groups.join('web', helper.pid ?? 0);
    for (const pid of [helper.pid, Number(child)])
      expect((await groupsOf(pid)).some((path) => path.endsWith('/web'))).toBe(true);
    await groups.removeAll();
    expect(await groups.uids()).toEqual([]);
  });
});

/** Directories with the files of cgroup v2: for hosts that have none, as far as files go. */
const FILES = [
  'cgroup.procs',
  'cgroup.subtree_control',
  'memory.max',
  'memory.oom.group',
  'cpu.weight',
  'cpu.max',
  'pids.max',
];
const fileTree: GroupTree = {
  async make(directory) {
    await mkdir(directory, { recursive: true });
    for (const name of FILES) await writeFile(join(directory, name), '', { flag: 'a' });
  },
  async remove(directory) {
    if ((await readdir(directory, { withFileTypes: true }).catch(() => [])).some((each) => each.isDirectory()))
      throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    await rm(directory, { recursive: true, force: true });
  },
};

describe('with cgroup v2 and no systemd', () => {
  it('limits are shared out from the root to the groups of guests', async () => {
    const mount = join(home.vmis, 'cgroup');
    await fileTree.make(mount);
    const hierarchy: Hierarchy = { version: 2, mount, controllers: ['memory', 'cpu', 'pids'], isSystemds: true };
    const groups = await GuestGroups.open(home, { hierarchies: [hierarchy], isSystemd: false, tree: fileTree });
    const parent = join(mount, `vireo-${basename(home.run)}`);
    // An earlier run was killed after it had made this.
    await fileTree.make(parent);
    await groups.limit('web', 4711, LIMITS);
    const read = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');
    expect(await read(mount, 'cgroup.subtree_control')).toBe('+memory +cpu +pids');
    expect(await read(parent, 'cgroup.subtree_control')).toBe('+memory +cpu +pids');
    expect(await read(parent, 'web', 'memory.max')).toBe(String(LIMITS.memoryBytes));
    expect(await read(parent, 'web', 'cpu.max')).toBe('150000 100000');
    expect(await read(parent, 'web', 'cgroup.procs')).toBe('4711');
    await writeFile(join(parent, 'web', 'memory.events'), 'oom 1\noom_kill 1\n');
    expect(await groups.outOfMemory('web')).toMatchObject({ kills: 1, isOwnLimit: true });
    await writeFile(join(parent, 'web', 'cgroup.procs'), '');
    await groups.remove('web');
    expect(await exists(parent)).toBe(false);
  });

  it('a container whose processes are in the root of its groups has no limits, and is told what to do', async () => {
    const mount = join(home.vmis, 'cgroup');
    await fileTree.make(mount);
    await writeFile(join(mount, 'cgroup.type'), 'domain\n');
    await writeFile(join(mount, 'cgroup.procs'), '1\n');
    const hierarchy: Hierarchy = { version: 2, mount, controllers: ['memory', 'cpu', 'pids'], isSystemds: true };
    const groups = await GuestGroups.open(home, { hierarchies: [hierarchy], isSystemd: false, tree: fileTree });
    expect(groups.isEnabled).toBe(false);
    expect(groups.support.missing.memory).toContain(`move them to ${mount}/init`);
    await groups.join('web', 4711);
    await groups.remove('web');
  });
});
