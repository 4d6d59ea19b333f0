import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startVireo } from '../testing/runningVireo.ts';
import { runVireo } from '../testing/vireoProcess.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-up-'));
  writeFileSync(join(directory, 'file'), 'not a directory');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  { home: () => join(directory, 'file'), says: 'is not a directory' },
  { home: () => join(directory, 'file/below'), says: 'is not a directory' },
  { home: () => '/proc/vireo/home', says: 'cannot be created' },
])('refuses a home that $says', async ({ home, says }) => {
  const { code, stdout, stderr } = await runVireo(['up', '--home', home(), '--port', '0']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`the home ${home()} ${says}`);
  expect(stderr).toContain('--home');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(home(), 'server.json'))).toBe(false);
});

it('runs until it is told to stop; status, kubeconfig and a second up know of it', async () => {
  const home = join(directory, 'new/home');
  const server = await startVireo(home);
  try {
    expect(server.output()).toContain(`export KUBECONFIG=${home}/kubeconfig\n`);
    expect(statSync(home).mode & 0o077).toBe(0);

    const status = JSON.parse((await runVireo(['status', '--home', home, '-o', 'json'])).stdout);
    expect(status).toMatchObject({ running: true, ready: true, pid: server.process.pid, port: expect.any(Number) });
    expect((await runVireo(['kubeconfig', '--home', home])).stdout).toBe(`${home}/kubeconfig\n`);

    const second = await runVireo(['up', '--home', home, '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`in use by the server with pid ${server.process.pid} on port ${status.port}`);

    expect(await runVireo(['down', '--home', home])).toMatchObject({ code: 0, stderr: '' });
    expect(await server.exited).toEqual([0, null]);
    expect(server.output()).toMatch(/Stopping on SIGTERM …\nStopped in/);
    expect((await runVireo(['status', '--home', home])).code).toBe(1);
  } finally {
    server.process.kill('SIGKILL');
  }
});

it('starts again on a home whose server was killed', async () => {
  const first = await startVireo(directory);
  first.process.kill('SIGKILL');
  await first.exited;
  expect((await runVireo(['status', '--home', directory])).stdout).toContain('No server is running');

  const second = await startVireo(directory);
  second.process.kill('SIGINT');
  expect(await second.exited).toEqual([0, null]);
});

it('names a port that is taken, leaves its owner alone and the home free', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  try {
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stderr } = await runVireo(['up', '--home', directory, '--port', String(port)]);
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port} is in use by another program`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(join(directory, 'server.json'))).toBe(false);
  } finally {
    other.close();
  }
});

it('refuses to listen for a front proxy with an extension that runs elsewhere', async () => {
  const options = ['--home', join(directory, 'home'), '--extension', 'remote', '--extension-port', '0'];
  const { code, stderr } = await runVireo(['up', ...options]);
  expect(code).toBe(1);
  expect(stderr).toContain('--extension-port needs the extension in the server’s process');
});

it('refuses an extension that runs elsewhere where there are no VMs', async () => {
  const options = ['--home', join(directory, 'home'), '--extension', 'remote', '--api-only'];
  const { code, stderr } = await runVireo(['up', ...options]);
  expect(code).toBe(1);
  expect(stderr).toContain('--extension remote needs VMs, which --api-only leaves out');
});
