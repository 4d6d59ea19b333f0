import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeLayout } from '@vireo/node';
import { processesWith } from '../../e2e/vms/leftovers.ts';
import { type Entry, entriesBelow } from '../fileModes.ts';
import type { Ground } from '../ground.ts';
import type { Machine } from './machines.ts';
import { type Target, type What, whatIs } from './targets.ts';

/** libvirt's directories, which are those of the home where QEMU is. */
const LIBVIRT_PLACES = [
  '/etc/libvirt',
  '/run/libvirt',
  '/var/lib/libvirt',
  '/var/cache/libvirt',
  '/var/log/libvirt',
  '/var/log/swtpm',
];

/** Every file, directory and socket that Vireo, its libvirtd and its guests have, as root sees them. */
export async function placesOf(ground: Ground, machine: Machine, temporary: string): Promise<Target[]> {
  const { run } = nodeLayout(ground.home, true);
  const home = await entriesBelow(ground.home);
  const sockets = await entriesBelow(run);
  const root = `/proc/${machine.pid}/root`;
  const libvirt = await Promise.all(
    LIBVIRT_PLACES.map(async (place) =>
      (await entriesBelow(join(root, place))).map((entry) => ({ ...entry, path: entry.path.slice(root.length) })),
    ),
  );
  const scratch = (await entriesBelow(temporary)).filter(({ path }) => path !== temporary);
  const at = (what: (path: string) => What) => (entry: Entry) => toTarget(entry, what(entry.path));
  return [
    ...home.flatMap(at((path) => whatIs(path.slice(ground.home.length + 1)))),
    ...sockets.flatMap(at(() => 'socket')),
    ...libvirt.flat().flatMap(at((path) => (path.endsWith('master-key.aes') ? 'key' : 'libvirt'))),
    ...scratch.flatMap(at(() => 'temporary file')),
  ];
}

function toTarget({ path, type, mode }: Entry, what: What): Target[] {
  const octal = (mode & 0o7777).toString(8);
  if (type === 'file') return [{ verb: 'file', words: [path, octal], name: path, what, isHosts: false }];
  if (type === 'directory') return [{ verb: 'directory', words: [path, octal], name: path, what, isHosts: false }];
  if (type === 'socket') return [{ verb: 'socket', words: [path], name: path, what: 'socket', isHosts: false }];
  // Links lead to what is tried itself.
  return [];
}

/** The processes of a Vireo: its server, its libvirtd, its guests and what serves them. */
export async function processesOf(ground: Ground): Promise<ReadonlySet<number>> {
  const named = (await processesWith(ground.home)).map(({ pid }) => pid);
  const found = new Set([ground.pid, ...named].filter((pid) => pid !== process.pid));
  const parents = await parentsOf();
  // A child of one of them is one of them.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return found;
}

async function parentsOf(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const pairs = pids.map(async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return [Number(pid), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)] as const;
  });
  return new Map(await Promise.all(pairs));
}

/** Whose a process is; undefined for one that has ended, even if nobody has collected it. */
export async function userOf(pid: number | string): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
  return uid === undefined || /^State:\s+[ZX]/m.test(status) ? undefined : Number(uid);
}

/** All processes of the host. */
export async function processTargets(ours: ReadonlySet<number>): Promise<Target[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      const isGuest = /^(qemu|swtpm|virtiofsd)/.test(command);
      const what: What = !ours.has(Number(pid)) ? 'host' : isGuest ? 'guest process' : 'process';
      const name = `process ${pid} (${command.trim()})`;
      return { verb: 'process', words: [pid], name, what, isHosts: what === 'host' };
    }),
  );
}

/** What a host keeps from its users, and what belongs to nobody in particular. */
const HOST_FILES = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/passwd',
  '/etc/ld.so.preload',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/proc/kcore',
  '/proc/sysrq-trigger',
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/sys/kernel/uevent_helper',
  '/usr/bin/perl',
];
const HOST_DIRECTORIES = ['/root', '/etc', '/etc/cron.d', '/usr/bin', '/var/spool/cron', '/run', '/run/vireo', '/boot'];

/** Files and devices of the host, and the control groups of machines. */
export async function hostTargets(machines: readonly Machine[]): Promise<Target[]> {
  const host = (verb: string, path: string): Target => ({
    verb,
    words: [path],
    name: path,
    what: 'host',
    // Nobody else's is among these: whatever can be done with them is a way out of the limits.
    isHosts: true,
  });
  const groups = (await Promise.all(machines.map(({ pid }) => groupDirectories(pid)))).flat();
  const files = await Promise.all(
    [...new Set(groups)].map(async (directory) => {
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
      return [
        host('directory', directory),
        ...entries.filter((entry) => entry.isFile()).map(({ name }) => host('file', join(directory, name))),
      ];
    }),
  );
  return [
    ...HOST_FILES.map((path) => host('file', path)),
    ...HOST_DIRECTORIES.map((path) => host('directory', path)),
    ...files.flat(),
    ...(await deviceTargets(machines[0]?.pid ?? 1)),
  ];
}

async function groupDirectories(pid: number): Promise<string[]> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  return lines.flatMap((line) => {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === '/' || path === '') return [];
    const hierarchy = controllers.replace(/^name=/, '');
    return [join('/sys/fs/cgroup', hierarchy, path)];
  });
}

/** Whoever opens a watchdog has to feed it. */
const LEFT_ALONE = /watchdog/;

async function deviceTargets(pid: number): Promise<Target[]> {
  const root = `/proc/${pid}/root`;
  const found = await entriesBelow(join(root, 'dev'));
  return found
    .filter(({ type, path }) => type === 'other' && !LEFT_ALONE.test(path))
    .map(({ path }) => path.slice(root.length))
    .map((path) => ({ verb: 'device', words: [path], name: path, what: 'host' as const, isHosts: true }));
}

/** A port of this host at which a process of Vireo waits. */
export interface Port {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly pid: number;
}

const LISTENING = '0A';

/** The ports at which processes wait. */
export async function portsOf(pids: ReadonlySet<number>): Promise<Port[]> {
  const owners = new Map<string, number>();
  for (const pid of pids)
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) ?? [];
      if (inode !== undefined) owners.set(inode, pid);
    }
  const tables = ['tcp', 'tcp6', 'udp', 'udp6'].map(async (table) => {
    const lines = (await readFile(`/proc/net/${table}`, 'utf8').catch(() => '')).trim().split('\n').slice(1);
    return lines.flatMap((line): Port[] => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const pid = owners.get(inode);
      const protocol = table.startsWith('tcp') ? 'tcp' : 'udp';
      if (pid === undefined || (protocol === 'tcp' && state !== LISTENING)) return [];
      return [{ protocol, port: Number.parseInt(local.split(':')[1] ?? '', 16), pid }];
    });
  });
  return (await Promise.all(tables)).flat();
}

/** The names of sockets that have no file, as `/proc/net/unix` has them. */
export async function abstractSockets(): Promise<Target[]> {
  const lines = (await readFile('/proc/net/unix', 'utf8')).split('\n');
  const names = lines.flatMap((line) => (/ @(.+)$/.exec(line)?.[1] ?? []) as string | []);
  return [...new Set(names)].map((name) => ({
    verb: 'abstract',
    words: [name],
    name: `the abstract socket ${name}`,
    what: 'socket',
    isHosts: true,
  }));
}
