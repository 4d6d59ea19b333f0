import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inClusterConfig, loadKubeconfig } from './kubeconfig.ts';
import { kubeconfigText, writeKubeconfig } from './writeKubeconfig.ts';

let directory: string;
let files = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function file(text: string, name = `config-${++files}`): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

/** A kubeconfig with one of each, whose cluster and user have the given fields. */
const config = (cluster: object, user: object, context: object = {}) =>
  JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server: 'https://k:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...context } }],
  });

const load = async (cluster: object, user: object, context?: object) =>
  loadKubeconfig({ path: await file(config(cluster, user, context)) });

describe('loadKubeconfig', () => {
  it('reads what it wrote', async () => {
    const path = join(directory, 'new', 'kubeconfig');
    await writeKubeconfig(path, {
      server: 'https://127.0.0.1:6443',
      certificateAuthority: 'the authority',
      certificate: 'the certificate',
      key: 'the key',
      namespace: 'shop',
    });
    const target = await loadKubeconfig({ path });
    expect(target).toMatchObject({ server: 'https://127.0.0.1:6443', namespace: 'shop' });
    expect(String(target.certificateAuthority)).toBe('the authority');
    const { certificate, key } = (await target.credentials?.get()) ?? {};
    expect([String(certificate), String(key)]).toEqual(['the certificate', 'the key']);
  });

  it('merges the files of KUBECONFIG, the first to say something being right; missing ones are skipped', async () => {
    const contexts = await file(
      'current-context: two\ncontexts:\n- {name: one, context: {cluster: a}}\n- {name: two, context: {cluster: b}}\n',
    );
    const clusters = await file(
      'current-context: one\nclusters:\n- {name: a, cluster: {server: "https://a"}}\n- {name: b, cluster: {server: "https://b"}}\n',
    );
    const late = await file('clusters:\n- {name: b, cluster: {server: "https://late"}}\n');
    const env = { KUBECONFIG: ['/does/not/exist', contexts, clusters, late].join(':') };
    expect((await loadKubeconfig({ env })).server).toBe('https://b');
    expect((await loadKubeconfig({ env, cluster: 'a' })).server).toBe('https://a');
    await expect(loadKubeconfig({ env, user: 'x' })).rejects.toThrow('no user named "x"; it has: none');
    expect((await loadKubeconfig({ env, context: 'one' })).server).toBe('https://a');
  });

  it('looks in the home directory otherwise', async () => {
    await mkdir(join(directory, '.kube'));
    await file(config({}, { token: 't' }), '.kube/config');
    const target = await loadKubeconfig({ env: { HOME: directory } });
    expect(await target.credentials?.get()).toMatchObject({ token: 't' });
  });

  it('reads files relative to the kubeconfig, and prefers data to files', async () => {
    await file('file authority', 'ca.pem');
    const fromFile = await load({ 'certificate-authority': 'ca.pem' }, {});
    expect(String(fromFile.certificateAuthority)).toBe('file authority');
    const data = Buffer.from('inline').toString('base64');
    const inline = await load({ 'certificate-authority': 'ca.pem', 'certificate-authority-data': data }, {});
    expect(String(inline.certificateAuthority)).toBe('inline');
  });

  it('reads a token file again after the server refused its token', async () => {
    await file('first\n', 'token');
    const { credentials } = await load({}, { tokenFile: 'token', token: 'unused' });
    expect((await credentials?.get())?.token).toBe('first');
    await file('second\n', 'token');
    expect((await credentials?.get())?.token).toBe('first');
    credentials?.reject();
    expect((await credentials?.get())?.token).toBe('second');
  });

  it('knows server names, insecurity and impersonation', async () => {
    const target = await load(
      { 'tls-server-name': 'other', 'insecure-skip-tls-verify': true },
      { token: 't', as: 'bob', 'as-groups': ['g'], 'as-uid': 'x', 'as-user-extra': { k: ['v'] } },
    );
    expect(target).toMatchObject({
      serverName: 'other',
      insecure: true,
      namespace: 'default',
      impersonate: { user: 'bob', groups: ['g'], uid: 'x', extra: { k: ['v'] } },
    });
  });

  it.each([
    ['no server', { server: '' }, {}, 'clusters[0].cluster.server must be set'],
    ['a server that is no text', { server: 5 }, {}, 'clusters[0].cluster.server must be a string, not 5'],
    ['a missing file', { 'certificate-authority': 'none.pem' }, {}, 'cluster.certificate-authority cannot be read'],
    ['half a certificate', {}, { 'client-key-data': 'eA==' }, 'client-certificate and client-key must be set together'],
    ['an auth provider', {}, { 'auth-provider': { name: 'gcp' } }, 'user.auth-provider is no longer supported'],
    ['groups without a user', {}, { 'as-groups': ['g'] }, 'user.as must be set'],
    ['a proxy', { 'proxy-url': 'http://p' }, {}, 'cluster.proxy-url is not supported'],
  ])('names file and field for %s', async (_, cluster, user, message) => {
    await expect(load(cluster, user)).rejects.toThrow(message);
    await expect(load(cluster, user)).rejects.toThrow(directory);
  });

  it.each([
    ['no file', {}, 'no kubeconfig found at /nowhere/.kube/config'],
    ['an unknown context', { context: 'x' }, 'no context named "x"; it has: c'],
  ])('says what there is for %s', async (_, options, message) => {
    const path = 'context' in options ? await file(config({}, {})) : undefined;
    await expect(loadKubeconfig({ ...options, path, env: { HOME: '/nowhere' } })).rejects.toThrow(message);
  });

  it('refuses what is not YAML, or not a kubeconfig', async () => {
    const broken = await file('a: [b');
    await expect(loadKubeconfig({ path: broken })).rejects.toThrow(`${broken}: not valid YAML`);
    const list = await file('- a');
    await expect(loadKubeconfig({ path: list })).rejects.toThrow(`${list}: the document must be an object`);
  });
});

describe('inClusterConfig', () => {
  it('uses the service account of the pod', async () => {
    const account = join(directory, 'serviceaccount');
    await mkdir(account);
    await writeFile(join(account, 'ca.crt'), 'ca');
    await writeFile(join(account, 'token'), 'pod token\n');
    await writeFile(join(account, 'namespace'), 'shop\n');
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const target = await inClusterConfig(env, account);
    expect(target).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'shop' });
    expect(await target.credentials?.get()).toEqual({ token: 'pod token' });
  });

  it('says when this is no pod', async () => {
    await expect(inClusterConfig({})).rejects.toThrow('not running in a pod');
  });
});

describe('writeKubeconfig', () => {
  it('writes for the owner only and leaves nothing else behind', async () => {
    const home = join(directory, 'home');
    const path = join(home, 'kubeconfig');
    await writeKubeconfig(path, { server: 'https://a', token: 'old' });
    await writeKubeconfig(path, { server: 'https://a', token: 'new' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(home)).toEqual(['kubeconfig']);
    expect(await (await loadKubeconfig({ path })).credentials?.get()).toMatchObject({ token: 'new' });
  });

  it('leaves out what is not given', () => {
    expect(kubeconfigText({ server: 'https://a', token: 't' })).not.toMatch(/null|undefined|client-key/);
  });
});
