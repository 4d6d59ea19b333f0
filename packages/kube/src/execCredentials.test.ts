import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecPlugin, execCredentials } from './execCredentials.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { FakeClock } from './testing/fakeClock.ts';

const API_VERSION = 'client.authentication.k8s.io/v1';
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'exec-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** A program that appends a line to a file each time it runs, and prints what `print` says in shell. */
async function plugin(name: string, print: string): Promise<{ plugin: ExecPlugin; runs: () => Promise<number> }> {
  const command = join(directory, name);
  await writeFile(command, `#!/bin/sh\necho >> "${command}.runs"\n${print}\n`);
  await chmod(command, 0o755);
  return {
    plugin: { apiVersion: API_VERSION, command, args: [], env: {} },
    runs: async () => (await readFile(`${command}.runs`, 'utf8')).length,
  };
}

const printing = (status: object) =>
  `echo '${JSON.stringify({ apiVersion: API_VERSION, kind: 'ExecCredential', status })}'`;

describe('execCredentials', () => {
  it('runs the program once for many, and again after a refusal', async () => {
    const { plugin: description, runs } = await plugin('once', printing({ token: 't' }));
    const source = execCredentials(description);
    const tokens = await Promise.all([source.get(), source.get(), source.get()]);
    expect(tokens.map(({ token }) => token)).toEqual(['t', 't', 't']);
    expect(await runs()).toBe(1);
    source.reject();
    await source.get();
    expect(await runs()).toBe(2);
  });

  it('runs it again, once, when the credentials are about to expire', async () => {
    const clock = new FakeClock();
    clock.advance(Date.parse('2030-01-01T00:00:00Z'));
    const { plugin: description, runs } = await plugin(
      'expiring',
      printing({ token: 't', expirationTimestamp: '2030-01-01T01:00:00Z' }),
    );
    const source = execCredentials(description, clock);
    await source.get();
    clock.advance(3_580_000);
    await source.get();
    expect(await runs()).toBe(1);
    clock.advance(10_000);
    await Promise.all([source.get(), source.get()]);
    expect(await runs()).toBe(2);
  });

  it('tells the program who asks, and takes certificates', async () => {
    const { plugin: description } = await plugin(
      'asked',
      `printf '%s %s' "$KUBERNETES_EXEC_INFO" "$EXTRA" > "${join(directory, 'asked.env')}"
${printing({ clientCertificateData: 'CERT', clientKeyData: 'KEY' })}`,
    );
    const cluster = { server: 'https://k' };
    const source = execCredentials({ ...description, env: { EXTRA: 'more' }, cluster });
    expect(await source.get()).toEqual({ token: undefined, certificate: 'CERT', key: 'KEY' });
    const asked = await readFile(join(directory, 'asked.env'), 'utf8');
    expect(asked.endsWith(' more')).toBe(true);
    expect(JSON.parse(asked.slice(0, -5))).toEqual({
      apiVersion: API_VERSION,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster },
    });
  });

  it.each([
    ['text', 'echo hello', 'printed no JSON'],
    ['null', 'echo null', 'printed something other than an ExecCredential'],
    ['another kind', `echo '{"kind":"Pod","apiVersion":"v1"}'`, 'printed something other than an ExecCredential'],
    ['nothing-useful', printing({}), 'printed neither a token nor a certificate'],
    ['half', printing({ clientCertificateData: 'C' }), 'a certificate or a key without the other'],
    ['bad-time', printing({ token: 't', expirationTimestamp: 'soon' }), 'that is not a valid time: "soon"'],
    ['exit', 'echo why >&2; exit 3', 'why'],
  ])('says what is wrong with %s, naming the program', async (name, print, message) => {
    const { plugin: description } = await plugin(name, print);
    const failing = execCredentials(description).get();
    await expect(failing).rejects.toThrow(message);
    await expect(failing).rejects.toThrow(description.command);
  });

  it('tries again after a failure', async () => {
    const { plugin: description } = await plugin('recovering', 'exit 1');
    const source = execCredentials(description);
    await expect(source.get()).rejects.toThrow('failed');
    await plugin('recovering', printing({ token: 't' }));
    expect((await source.get()).token).toBe('t');
  });

  it('is found through a kubeconfig, relative to it, with a hint when it is missing', async () => {
    await plugin('relative', printing({ token: 'from plug-in' }));
    const kubeconfig = (command: string) =>
      JSON.stringify({
        'current-context': 'c',
        clusters: [{ name: 'k', cluster: { server: 'https://k' } }],
        users: [{ name: 'u', user: { exec: { apiVersion: API_VERSION, command, installHint: 'install it' } } }],
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      });
    const path = join(directory, 'kubeconfig');
    await writeFile(path, kubeconfig('./relative'));
    expect((await (await loadKubeconfig({ path })).credentials?.get())?.token).toBe('from plug-in');
    await writeFile(path, kubeconfig('./missing'));
    await expect((await loadKubeconfig({ path })).credentials?.get()).rejects.toThrow('install it');
  });
});
