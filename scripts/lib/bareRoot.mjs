import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { aptMirror, debootstrap } from './debootstrap.mjs';
import { Failure } from './failure.mjs';
import { npmCommand } from './npm.mjs';
import { capture } from './spawn.mjs';

/**
 * A Debian below `directory` with nothing but its base and the Node and npm of this host, and how to run something in
 * it. All that runs there is in namespaces of its own, which end with `close`: no process and no mount is left on this
 * host. Undefined where none can be made.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {string} directory
 */
export async function bareRoot(steps, directory) {
  const mirror = process.getuid?.() === 0 ? await aptMirror() : undefined;
  if (!mirror) return undefined;
  const target = join(directory, 'root');
  try {
    await debootstrap(steps, mirror, target);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    steps.say(error.message);
    return undefined;
  }
  copyNode(target);
  copySettings(target);
  return enter(target);
}

/** As whoever fetched Node from nodejs.org has it. */
function copyNode(/** @type {string} */ target) {
  const program = realpathSync(process.execPath);
  const [, running] = npmCommand(process.env);
  const npm = running ? join(dirname(running), '..') : join(dirname(program), '../lib/node_modules/npm');
  if (!existsSync(npm)) throw new Failure(`npm was not found at ${npm}; run this with: npm run install-test`);
  const local = join(target, 'usr/local');
  copyFileSync(program, join(local, 'bin/node'));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
}

/** How this host reaches the registry and the mirror. */
function copySettings(/** @type {string} */ target) {
  for (const path of ['/etc/resolv.conf', '/etc/hosts', '/etc/npmrc', '/etc/ssl/certs/ca-certificates.crt']) {
    if (!existsSync(path)) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(path, join(target, path), { dereference: true });
  }
}

/** What a host has mounted that guests need; `sleep` keeps the namespaces until it is ended. */
const MOUNTS = `set -e
# A root that is no mount cannot have namespaces of its own, as libvirtd has.
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
mkdir "$1/dev/pts" "$1/dev/shm" "$1/dev/net"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
mount -t tmpfs tmpfs "$1/dev/shm"
ln -s pts/ptmx "$1/dev/ptmx"
ln -s /proc/self/fd "$1/dev/fd"
for device in null zero full random urandom tty kvm net/tun; do
  [ -e "/dev/$device" ] || continue
  : > "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
mount -t tmpfs tmpfs "$1/run"
echo ready
exec sleep infinity`;

async function enter(/** @type {string} */ target) {
  const holder = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', MOUNTS, 'sh', target]);
  let output = '';
  let hasEnded = false;
  holder.once('error', (error) => {
    hasEnded = true;
    output += error.message;
  });
  holder.once('exit', () => (hasEnded = true));
  for (const stream of [holder.stdout, holder.stderr]) stream.on('data', (chunk) => (output += chunk));
  while (!output.includes('ready')) {
    if (hasEnded) throw new Failure(`no namespaces can be made: ${output.trim()}`);
    await delay(50);
  }
  const inside = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim();
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    TARBALL: '/tmp/vireo.tgz',
    ...(existsSync('/etc/ssl/certs/ca-certificates.crt') && {
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    }),
  };
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    isBare: true,
    path: (/** @type {string} */ path) => join(target, path),
    run: (/** @type {string} */ script) =>
      capture('nsenter', [
        ...['--target', inside, '--mount', '--pid', 'chroot', target],
        ...['env', '-i', ...words, 'sh', '-c', script],
      ]),
    close: () => new Promise((resolve) => holder.once('exit', resolve).kill('SIGKILL')),
  };
}
