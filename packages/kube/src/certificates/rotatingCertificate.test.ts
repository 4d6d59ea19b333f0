import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueCertificate } from '../serving/certificate.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { memoryLog } from '../testing/memoryLog.ts';
import { CertificateFiles } from './certificateFiles.ts';
import { newKey } from './request.ts';
import type { IssuedCertificate } from './requestCertificate.ts';
import { RotatingCertificate, type RotatingCertificateOptions } from './rotatingCertificate.ts';

const HOUR_MS = 3_600_000;

let directory: string;
let clock: FakeClock;
let ending: AbortController;
let log: ReturnType<typeof memoryLog>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-certificates-'));
  clock = new FakeClock();
  clock.advance(Date.parse('2026-01-01T00:00:00Z'));
  ending = new AbortController();
  log = memoryLog();
});
afterEach(async () => {
  ending.abort();
  await rm(directory, { recursive: true });
});

function issued(lifeMs = HOUR_MS): IssuedCertificate {
  const key = newKey();
  const notAfter = new Date(clock.now() + lifeMs);
  const certPem = issueCertificate(
    { commonName: 'node', use: 'client', notBefore: new Date(clock.now() - 300_000), notAfter },
    key,
  );
  return { certPem, keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(), notAfter };
}

const open = (options: Partial<RotatingCertificateOptions> = {}): Promise<RotatingCertificate> =>
  RotatingCertificate.open(
    { directory, name: 'node', log, clock, issue: async () => issued(), ...options },
    ending.signal,
  );

describe('a rotating certificate', () => {
  it('is kept for its owner only, and found again', async () => {
    const { certPem } = (await open()).current();
    expect((await stat(join(directory, 'node.key'))).mode & 0o777).toBe(0o600);
    const issue = () => Promise.reject(new Error('not wanted'));
    expect((await open({ issue })).current().certPem).toBe(certPem);
  });

  it('is replaced after four fifths of its life, and whoever listens hears of it', async () => {
    const certificate = await open();
    const first = certificate.current();
    const heard: IssuedCertificate[] = [];
    certificate.onChange((next) => heard.push(next));
    clock.advance(0.7 * HOUR_MS);
    expect(certificate.current()).toBe(first);
    clock.advance(0.16 * HOUR_MS);
    await eventually(() => heard.length === 1);
    expect(await certificate.get()).toEqual({ certificate: heard[0]?.certPem, key: heard[0]?.keyPem });
    expect(await readFile(join(directory, 'node.crt'), 'utf8')).toBe(heard[0]?.certPem);
  });

  it('stays in use while nobody issues another', async () => {
    let failures = 0;
    let isAway = false;
    const certificate = await open({
      issue: async () => {
        if (!isAway) return issued();
        failures += 1;
        throw new Error('away');
      },
    });
    const first = certificate.current();
    isAway = true;
    clock.advance(0.86 * HOUR_MS);
    await eventually(() => failures === 1 && clock.pending > 0);
    expect(certificate.current()).toBe(first);
    expect(log.entries.at(-1)).toMatchObject({ level: 'warn', message: 'a certificate cannot be renewed' });
    isAway = false;
    clock.advance(60_000);
    await eventually(() => certificate.current() !== first);
  });

  it('is replaced at the start where it has ended, and by one with the names that are wanted', async () => {
    const seen: (IssuedCertificate | undefined)[] = [];
    const issue: RotatingCertificateOptions['issue'] = async (_, current) => {
      seen.push(current);
      return issued();
    };
    const first = (await open({ issue })).current();
    ending.abort();
    ending = new AbortController();
    const second = (await open({ issue, isWanted: () => false })).current();
    expect(second).not.toBe(first);
    ending.abort();
    ending = new AbortController();
    clock.advance(2 * HOUR_MS);
    await open({ issue });
    // Whoever has a valid one may ask with it; whoever has none may not.
    expect(seen.map((current) => current?.certPem)).toEqual([undefined, first.certPem, undefined]);
  });

  it('that cannot be had at first is an error', async () => {
    await expect(open({ issue: () => Promise.reject(new Error('denied')) })).rejects.toThrow('denied');
  });

  it('survives a crash between its two files', async () => {
    const files = new CertificateFiles(directory, 'node');
    await files.replace(issued());
    const next = issued();
    await new CertificateFiles(directory, 'next').replace(next);
    await rename(join(directory, 'next.crt'), join(directory, 'node.crt'));
    expect(await files.read()).toBeUndefined();
    await rename(join(directory, 'next.key'), join(directory, 'node.key.new'));
    const found = await files.read();
    expect(found?.certPem).toBe(next.certPem);
    expect(new X509Certificate(found?.certPem ?? '').checkPrivateKey(createPrivateKey(found?.keyPem ?? ''))).toBe(true);
    expect((await files.read())?.keyPem).toBe(next.keyPem);
  });
});
