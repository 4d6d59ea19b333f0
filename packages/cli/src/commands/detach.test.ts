import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logFile } from '../logFile.ts';
import { runVireo } from '../testing/vireoProcess.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vireo-detach-'));
});
afterEach(async () => {
  if (existsSync(join(home, 'server.json'))) await runVireo(['down', '--home', home]);
  rmSync(home, { recursive: true, force: true });
});

const upDetached = (...more: string[]) => runVireo(['up', '--detach', '--api-only', '--home', home, ...more]);

/** The session of a process; the fourth number behind its name. */
const sessionOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3]);

it('a server in the background is ready when up returns; status, wait, logs and down know it', async () => {
  const { code, stdout, stderr } = await upDetached('--port', '0');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`export KUBECONFIG=${home}/kubeconfig\n`);
  expect(stdout).toContain(`It runs in the background. To follow its log: `);
  expect(stdout).not.toContain('Ctrl-C');

  const { pid, ready } = JSON.parse((await runVireo(['status', '--home', home, '-o', 'json'])).stdout);
  expect(ready).toBe(true);
  expect(sessionOf(pid)).toBe(pid);

  const waited = await runVireo(['wait', '--home', home]);
  expect(waited).toMatchObject({ code: 0, stderr: '' });
  expect(waited.stdout).toMatch(/^The server on \S+ is ready\. The Kubernetes API is at https:\/\/127\.0\.0\.1:\d+\n$/);

  const second = await upDetached('--port', '0');
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`in use by the server with pid ${pid}`);

  const following = runVireo(['logs', '-f', '--home', home]);
  expect(await runVireo(['down', '--home', home])).toMatchObject({ code: 0 });
  const followed = await following;
  expect(followed).toMatchObject({ code: 0, stderr: '' });
  expect(followed.stdout).toMatch(/Stopping on SIGTERM …\nStopped in/);
  expect((await runVireo(['logs', '--tail', '1', '--home', home])).stdout).toMatch(/^Stopped in .*\n$/);
});

it('a server that cannot start in the background says why in the foreground', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  try {
    const { port } = other.address() as { port: number };
    const { code, stderr } = await upDetached('--port', String(port));
    expect(code).toBe(1);
    expect(stderr).toContain(`error: port ${port} is in use by another program\n`);
    expect(readFileSync(logFile(home), 'utf8')).toBe(stderr);
    expect(existsSync(join(home, 'server.json'))).toBe(false);
  } finally {
    other.close();
  }
});

it('who waits for a server that never comes is told after the time, with 124', async () => {
  const { code, stdout, stderr } = await runVireo(['wait', '--home', home, '--timeout', '1ms']);
  expect({ code, stdout }).toEqual({ code: 124, stdout: '' });
  expect(stderr).toContain(`the server on ${home} was not ready after 1 ms: no server is running\n`);
});

it.each([
  { args: ['logs'], says: 'no log in' },
  { args: ['logs', '--tail', 'many'], says: 'Expected a number of lines.' },
  { args: ['wait', '--for=agent'], says: '--for=agent needs the name of a VM' },
  { args: ['wait', '--for=happiness'], says: 'Allowed choices are running, agent, address, ssh, stopped, deleted.' },
  { args: ['wait', '--timeout=soon'], says: 'Expected a duration such as 30s, 2m or 1h' },
  { args: ['wait', 'web'], says: '--home cannot be combined with the name of a VM' },
])('$args is refused: $says', async ({ args, says }) => {
  const { code, stdout, stderr } = await runVireo([...args, '--home', home]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(says);
});
