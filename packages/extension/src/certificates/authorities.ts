import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Secret } from '@vireo/api';
import { type CertificateRequest, issueCertificate } from '@vireo/kube/serving/certificate.ts';

/** A certificate and its private key: PEM. */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Who signs the certificates of the extension's listeners. */
export interface Authorities {
  readonly current: KeyPair;
  /** Signs from the moment on at which all who call the extension trust it. */
  readonly next?: KeyPair;
  /** PEM of those that have signed before. They stay trusted until they expire, and what they have signed expires first. */
  readonly previous: readonly string[];
}

/** How long certificates last. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** How long a new authority is published before it signs. */
  readonly publishMs: number;
}

const HOUR_MS = 3_600_000;

/** As long as KubeVirt's. */
export const LIFETIMES: Lifetimes = { authorityMs: 7 * 24 * HOUR_MS, servingMs: 24 * HOUR_MS, publishMs: 5 * 60_000 };

const RENEW_AFTER = 0.8;
/** Clocks of others may be behind by so much, or by a tenth of what lasts shorter. */
const BACKDATE_MS = 5 * 60_000;
const COMMON_NAME = 'kubevirt.io';

/** When a certificate has lived for the most part and is to be replaced. */
export function renewAtMs(certPem: string): number {
  const { validFromDate, validToDate } = new X509Certificate(certPem);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return from + (to - from) * RENEW_AFTER;
}

/** When a serving certificate is to be replaced. One that lasts as long as its CA is replaced with it: no other lasts longer. */
export const renewServingAtMs = (certPem: string, { certPem: caPem }: Pick<KeyPair, 'certPem'>): number =>
  expiresAtMs(certPem) >= expiresAtMs(caPem) ? Number.POSITIVE_INFINITY : renewAtMs(certPem);

const expiresAtMs = (certPem: string): number => new X509Certificate(certPem).validToDate.getTime();

/** What is to be kept instead, if anything, and when to look again. */
export interface AuthoritiesDecision {
  readonly authorities: Authorities;
  readonly hasChanged: boolean;
  readonly lookAtMs: number;
}

/**
 * The authorities as they should be now. A new one is first published beside the one that signs (`publishedSinceMs`: the
 * moment since which everybody is known to trust all of them), then signs; the old one goes when it expires.
 */
export function decideAuthorities(
  found: Authorities | undefined,
  lifetimes: Lifetimes,
  nowMs: number,
  publishedSinceMs?: number,
): AuthoritiesDecision {
  const isExpired = (certPem: string): boolean => expiresAtMs(certPem) <= nowMs;
  if (!found || (isExpired(found.current.certPem) && (!found.next || isExpired(found.next.certPem))))
    return changed({ current: issueAuthority(lifetimes, nowMs), previous: [] });
  const { current, next } = found;
  if (next && isExpired(current.certPem)) return changed({ current: next, previous: [] });
  const previous = found.previous.filter((certPem) => !isExpired(certPem));
  const kept: Authorities = { ...found, previous };
  if (next && publishedSinceMs !== undefined && nowMs >= publishedSinceMs + lifetimes.publishMs)
    return changed({ current: next, previous: [current.certPem, ...previous] });
  if (!next && nowMs >= renewAtMs(current.certPem)) return changed({ ...kept, next: issueAuthority(lifetimes, nowMs) });
  if (previous.length < found.previous.length) return changed(kept);
  const turns = [
    ...previous.map(expiresAtMs),
    expiresAtMs(current.certPem),
    next ? (publishedSinceMs ?? Number.POSITIVE_INFINITY) + lifetimes.publishMs : renewAtMs(current.certPem),
  ];
  return { authorities: kept, hasChanged: false, lookAtMs: Math.min(...turns) };

  function changed(authorities: Authorities): AuthoritiesDecision {
    return { authorities, hasChanged: true, lookAtMs: nowMs };
  }
}

/** All that is to be trusted, as PEM. */
export const bundleOf = ({ current, next, previous }: Authorities): string =>
  [current.certPem, ...(next ? [next.certPem] : []), ...previous].map((pem) => `${pem.trim()}\n`).join('');

/** A certificate for a listener under these names and addresses. It does not outlive who signs it. */
export function issueServing(
  { current }: Authorities,
  names: readonly string[],
  { servingMs }: Lifetimes,
  nowMs: number,
): KeyPair {
  const [ipAddresses, dnsNames] = [names.filter((name) => isIP(name)), names.filter((name) => !isIP(name))];
  const subjectAltNames = { dnsNames, ipAddresses };
  const { notBefore, notAfter } = validity(nowMs, servingMs);
  const until = new Date(Math.min(notAfter.getTime(), expiresAtMs(current.certPem)));
  const request = {
    commonName: dnsNames[0] ?? '',
    use: 'server' as const,
    subjectAltNames,
    notBefore,
    notAfter: until,
  };
  return issue(request, current);
}

/** Whether an authority has signed a certificate. */
export const isSignedBy = (certPem: string, authority: KeyPair): boolean =>
  new X509Certificate(certPem).verify(new X509Certificate(authority.certPem).publicKey);

const issueAuthority = ({ authorityMs }: Lifetimes, nowMs: number): KeyPair =>
  issue({ commonName: `${COMMON_NAME}@${Math.floor(nowMs / 1000)}`, use: 'ca', ...validity(nowMs, authorityMs) });

function issue(request: CertificateRequest, issuer?: KeyPair): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = issuer && { certPem: issuer.certPem, key: createPrivateKey(issuer.keyPem) };
  return {
    certPem: issueCertificate(request, privateKey, signer),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const validity = (nowMs: number, lifetimeMs: number) => ({
  notBefore: new Date(nowMs - Math.min(BACKDATE_MS, lifetimeMs / 10)),
  notAfter: new Date(nowMs + lifetimeMs),
});

/** The authorities as a Secret keeps them. */
export function authoritiesToData({ current, next, previous }: Authorities): Record<string, string> {
  const texts = {
    'tls.crt': current.certPem,
    'tls.key': current.keyPem,
    ...(next && { 'next.crt': next.certPem, 'next.key': next.keyPem }),
    ...(previous.length > 0 && { 'previous.crt': previous.join('') }),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}

/** Reads that Secret; undefined: it holds no authority that can be used, and gets another. */
export function authoritiesFromData({ data = {} }: Pick<Secret, 'data'>): Authorities | undefined {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  const current = { certPem: text('tls.crt'), keyPem: text('tls.key') };
  const next = { certPem: text('next.crt'), keyPem: text('next.key') };
  if (!isUsable(current)) return undefined;
  const previous = text('previous.crt').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/g) ?? [];
  return { current, ...(isUsable(next) && { next }), previous };
}

function isUsable({ certPem, keyPem }: KeyPair): boolean {
  try {
    return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    return false;
  }
}
