import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePki, issueClientCertificate, type Pki } from './pki.ts';

const DAY_MS = 24 * 3600 * 1000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

let home: string;
let dir: string;
let pki: Pki;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-pki-'));
  dir = join(home, 'pki');
  pki = await ensurePki(dir);
});
afterAll(() => rm(home, { recursive: true }));

describe('the files', () => {
  it('are for their owner alone where they are secret', async () => {
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    const keys = (await readdir(dir)).filter((name) => name.endsWith('.key'));
    expect(keys.sort()).toEqual([
      'admin.key',
      'apiserver-kubelet-client.key',
      'apiserver.key',
      'ca.key',
      'front-proxy-ca.key',
      'front-proxy-client.key',
      'sa.key',
    ]);
    for (const key of keys) expect((await stat(join(dir, key))).mode & 0o777).toBe(0o600);
  });

  it('leave no drafts behind', async () => {
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('a second start', () => {
  it('takes everything as it is', async () => {
    expect(await ensurePki(dir)).toEqual(pki);
  });

  it('renews leaves below thirty days, with the same keys', async () => {
    const later = await ensurePki(await copyOf(dir), { now: inDays(340) });
    expect(later.ca).toEqual(pki.ca);
    for (const name of ['server', 'admin', 'frontProxyClient'] as const) {
      expect(later[name].keyPem).toBe(pki[name].keyPem);
      expect(later[name].certPem).not.toBe(pki[name].certPem);
      expect(new X509Certificate(later[name].certPem).validToDate > inDays(700)).toBe(true);
    }
  });

  it('renews the CA with its key, so that what it signed stays good', async () => {
    const later = await ensurePki(await copyOf(dir), { now: inDays(3640) });
    const ca = new X509Certificate(later.ca.certPem);
    expect(later.ca.certPem).not.toBe(pki.ca.certPem);
    expect(new X509Certificate(pki.admin.certPem).verify(ca.publicKey)).toBe(true);
  });

  it('signs anew when the server is to answer to another name', async () => {
    const renamed = await ensurePki(await copyOf(dir), {
      extraSans: ['vireo.example.org', '2001:db8::7', '203.0.113.9'],
    });
    const certificate = new X509Certificate(renamed.server.certPem);
    expect(certificate.checkHost('vireo.example.org')).toBe('vireo.example.org');
    expect(certificate.checkIP('2001:db8::7')).toBe('2001:db8::7');
    expect(certificate.checkIP('203.0.113.9')).toBe('203.0.113.9');
    expect(renamed.admin).toEqual(pki.admin);
  });

  it('makes a damaged certificate again', async () => {
    const damaged = await copyOf(dir);
    await writeFile(join(damaged, 'admin.crt'), 'not a certificate');
    const repaired = await ensurePki(damaged);
    expect(repaired.admin.keyPem).toBe(pki.admin.keyPem);
    expect(new X509Certificate(repaired.admin.certPem).subject).toContain('CN=kubernetes-admin');
  });

  it('replaces leaves that another CA signed', async () => {
    const mixed = await copyOf(dir);
    await rm(join(mixed, 'ca.key'));
    await rm(join(mixed, 'ca.crt'));
    const fresh = await ensurePki(mixed);
    const ca = new X509Certificate(fresh.ca.certPem);
    expect(new X509Certificate(fresh.server.certPem).verify(ca.publicKey)).toBe(true);
    expect(new X509Certificate(fresh.admin.certPem).verify(ca.publicKey)).toBe(true);
  });

  it('never makes a new CA key beside an existing certificate', async () => {
    const robbed = await copyOf(dir);
    await rm(join(robbed, 'ca.key'));
    await expect(ensurePki(robbed)).rejects.toThrow(/ca\.key is missing, but .*ca\.crt exists/);
  });

  it('says which key is damaged', async () => {
    const damaged = await copyOf(dir);
    await writeFile(join(damaged, 'sa.key'), 'not a key');
    await expect(ensurePki(damaged)).rejects.toThrow(/sa\.key does not contain a usable private key/);
  });
});

describe('a client certificate', () => {
  it('carries names of any characters', () => {
    const { certPem } = issueClientCertificate(pki, {
      commonName: 'system:node:a,O=system:masters',
      organizations: ['é+"x'],
    });
    const { CN, O } = new X509Certificate(certPem).toLegacyObject().subject;
    expect({ CN, O }).toEqual({ CN: 'system:node:a,O=system:masters', O: 'é+"x' });
  });
});

let copies = 0;
async function copyOf(source: string): Promise<string> {
  const target = join(home, `copy-${copies++}`);
  await ensurePki(target);
  for (const name of await readdir(source)) await writeFile(join(target, name), await readFile(join(source, name)));
  return target;
}
