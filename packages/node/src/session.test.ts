import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
/** Somebody without rights: us, or where we have them, nobody. */
const user = isRoot ? NOBODY : process.getuid?.();

const script = fileURLToPath(new URL('testing/sessionGuest.ts', import.meta.url));
const asUser = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : [];

const isReadable = (path: string): boolean => {
  const [program = '', ...args] = [...asUser, 'test', '-r', path];
  return spawnSync(program, args).status === 0;
};

// In a home directory that is closed to others nobody but its owner can run anything.
it.runIf(isReadable(script))('VMs run for people who are not root', async () => {
  const [program = '', ...args] = [...asUser, process.execPath, script];
  const { XDG_RUNTIME_DIR: _, ...env } = process.env;
  const { stdout } = await run(program, args, { env: { ...env, HOME: '/nonexistent' }, cwd: '/' });
  expect(stdout.split('\n').filter(Boolean)).toEqual([
    `uid ${user}, qemu:///session`,
    `runs as ${user}`,
    `shares it, as ${user}`,
    'console answers',
    'port is reached',
    'log has the marker: true',
    'guests left: 0',
  ]);
});
