import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const run = promisify(execFile);
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
/** Somebody without rights: us, or where we have them, nobody. */
const user = isRoot ? NOBODY : process.getuid?.();

const script = fileURLToPath(new URL('testing/sessionGuest.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'vireo-session-'));
afterAll(() => rmSync(directory, { recursive: true }));
/** Everybody can open /dev/net/tun, as on hosts with udev. */
const OPEN_TUN =
  'mknod -m 666 "$1/tun" c 10 200 && mount --bind "$1/tun" /dev/net/tun; rm -f "$1/tun"; shift; exec "$@"';
const asUser = isRoot
  ? [
      ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c', OPEN_TUN, 'sh', directory],
      ...['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'],
    ]
  : [];

const succeeds = (...words: string[]): boolean => {
  const [program = '', ...args] = [...asUser, ...words];
  return spawnSync(program, args).status === 0;
};
const canHaveNamespaces =
  succeeds('test', '-w', '/dev/net/tun') &&
  succeeds('slirp4netns', '--version') &&
  succeeds('unshare', '--user', '--map-current-user', '--keep-caps', '--net', 'ip', 'link', 'set', 'lo', 'up');

// In a home directory that is closed to others nobody but its owner can run anything.
it.runIf(succeeds('test', '-r', script))('VMs run for people who are not root', async () => {
  const [program = '', ...args] = [...asUser, process.execPath, script];
  const { XDG_RUNTIME_DIR: _, ...env } = process.env;
  const { stdout } = await run(program, args, { env: { ...env, HOME: '/nonexistent' }, cwd: '/' });
  expect(stdout.split('\n').filter(Boolean)).toEqual([
    `uid ${user}, qemu:///session`,
    `runs as ${user}`,
    `shares it, as ${user}`,
    'console answers',
    'port is reached',
    canHaveNamespaces
      ? 'loopback is closed, said to be closed by OwnNetworkNamespace'
      : 'loopback is open, said to be open by NoNetworkNamespace',
    'log has the marker: true',
    'guests left: 0',
  ]);
});
