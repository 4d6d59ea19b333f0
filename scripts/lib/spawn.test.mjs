import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { capture } from './spawn.mjs';

const module = JSON.stringify(new URL('./spawn.mjs', import.meta.url).href);

/** Starts a launcher that runs `child` (JavaScript) in the foreground and exits with its code. */
function launch(child, options = '{}') {
  const source = `
    import { runInForeground } from ${module};
    process.exitCode = await runInForeground(process.execPath, ['--eval', ${JSON.stringify(child)}], ${options});`;
  const launcher = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(launcher.stdout)[Symbol.asyncIterator]();
  return { launcher, exited: once(launcher, 'exit'), nextLine: async () => (await lines.next()).value };
}

it('passes the exit code on', async () => {
  const { exited } = launch('process.exit(7)');
  expect(await exited).toEqual([7, null]);
});

it('dies of the signal that its child died of', async () => {
  const { exited } = launch('process.kill(process.pid, "SIGKILL")');
  expect(await exited).toEqual([null, 'SIGKILL']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  'hands %s on and waits for the child to end in its own way',
  async (signal) => {
    const { launcher, exited, nextLine } = launch(`
    process.on('${signal}', () => { console.log('stopping'); setTimeout(() => process.exit(5), 50); });
    setInterval(() => {}, 1000);
    console.log('ready');`);
    expect(await nextLine()).toBe('ready');
    launcher.kill(signal);
    expect(await nextLine()).toBe('stopping');
    expect(await exited).toEqual([5, null]);
  },
);

it('tells the child when the launcher is killed outright', async () => {
  const { launcher, nextLine } = launch(
    `process.once('disconnect', () => { console.log('alone'); process.exit(); });
     setInterval(() => {}, 1000);
     console.log('ready');`,
    '{ tellWhenParentDies: true }',
  );
  expect(await nextLine()).toBe('ready');
  launcher.kill('SIGKILL');
  expect(await nextLine()).toBe('alone');
});

it('captures both outputs and the exit code', async () => {
  expect(await capture('sh', ['-c', 'echo one; echo two >&2; exit 3'])).toMatchObject({
    code: 3,
    stdout: 'one\n',
    stderr: 'two\n',
  });
});

it('a captured child that dies of a signal has failed, and takes nobody with it', async () => {
  expect(await capture('sh', ['-c', 'echo one; kill -KILL $$'])).toMatchObject({
    code: 1,
    signal: 'SIGKILL',
    stdout: 'one\n',
  });
});
