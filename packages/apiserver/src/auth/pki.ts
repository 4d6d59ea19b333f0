import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { readIfThere, writeAtomically } from '@vireo/kube/files.ts';
import {
  addressBytes,
  type CertificateRequest,
  type Issuer,
  issueCertificate,
  type SubjectAltNames,
} from '@vireo/kube/serving/certificate.ts';
import { DEFAULT_SERVICE_CIDR, kubernetesServiceIp } from '../strategies/core/allocation.ts';

/** A certificate and its private key, as PEM. */
export interface Credential {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Everything the server trusts and shows. */
export interface Pki {
  /** Signs the serving certificate and client certificates of users. */
  readonly ca: Credential;
  /** Signs only what may speak for others in X-Remote-* headers. */
  readonly frontProxyCa: Credential;
  readonly frontProxyClient: Credential;
  readonly server: Credential;
  /** What the server shows to nodes when it asks for logs and metrics. */
  readonly kubeletClient: Credential;
  /** `kubernetes-admin` in `system:masters`. */
  readonly admin: Credential;
  /** Signs ServiceAccount tokens. */
  readonly serviceAccount: { readonly privateKeyPem: string; readonly publicKeyPem: string };
}

export interface PkiOptions {
  /** Further names and addresses that the server is reached by. */
  readonly extraSans?: readonly string[];
  /** The cluster IP of the `kubernetes` Service. */
  readonly serviceAddress?: string;
  readonly now?: Date;
}

/** The user that the server is to nodes. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client';
const KUBELET_CLIENT_FILE = 'apiserver-kubelet-client';

const DEFAULT_SERVICE_ADDRESS = kubernetesServiceIp(DEFAULT_SERVICE_CIDR);
const DAY_MS = 24 * 3600 * 1000;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;
const RENEW_BELOW_DAYS = 30;
/** Clocks of clients may be a little behind. */
const BACKDATE_MS = 5 * 60 * 1000;

/**
 * Reads the keys and certificates below `dir`, making what is missing, expiring or signed for other names.
 * A key, once there, stays: only certificates are renewed, so a crash can never leave a pair that does not match.
 *
 * @example
 * const pki = await ensurePki(join(home, 'pki'), { extraSans: ['vireo.example.org'] });
 */
export async function ensurePki(dir: string, options: PkiOptions = {}): Promise<Pki> {
  const now = options.now ?? new Date();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  const [ca, frontProxyCa, serviceAccountKey] = await Promise.all([
    ensureCa(dir, 'ca', 'vireo-ca', now),
    ensureCa(dir, 'front-proxy-ca', 'vireo-front-proxy-ca', now),
    ensureKey(join(dir, 'sa.key')),
  ]);
  const subjectAltNames = serverNames([
    ...(options.extraSans ?? []),
    options.serviceAddress ?? DEFAULT_SERVICE_ADDRESS,
  ]);
  const [server, admin, kubeletClient, frontProxyClient] = await Promise.all([
    ensureLeaf(dir, 'apiserver', { commonName: 'kube-apiserver', use: 'server', subjectAltNames }, ca, now),
    ensureLeaf(
      dir,
      'admin',
      { commonName: 'kubernetes-admin', organizations: ['system:masters'], use: 'client' },
      ca,
      now,
    ),
    ensureLeaf(dir, KUBELET_CLIENT_FILE, { commonName: KUBELET_CLIENT, use: 'client' }, ca, now),
    ensureLeaf(dir, 'front-proxy-client', { commonName: 'front-proxy-client', use: 'client' }, frontProxyCa, now),
  ]);
  const publicKeyPem = createPublicKey(serviceAccountKey).export({ type: 'spki', format: 'pem' }).toString();
  return {
    ca,
    frontProxyCa,
    frontProxyClient,
    server,
    kubeletClient,
    admin,
    serviceAccount: { privateKeyPem: pemOf(serviceAccountKey), publicKeyPem },
  };
}

/** A fresh client certificate, signed by the cluster's CA and kept nowhere. */
export function issueClientCertificate(
  pki: Pick<Pki, 'ca'>,
  user: { commonName: string; organizations?: readonly string[]; days?: number; now?: Date },
): Credential {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { now = new Date(), days = LEAF_DAYS, ...names } = user;
  const request = { ...names, use: 'client' as const, ...validity(now, days) };
  return { certPem: issueCertificate(request, privateKey, issuerOf(pki.ca)), keyPem: pemOf(privateKey) };
}

/** The names a client may reach this host's API server by. */
function serverNames(extra: readonly string[]): SubjectAltNames {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const names = ['localhost', hostname(), ...service, ...extra.filter((name) => !isIP(name))];
  const addresses = ['127.0.0.1', '::1', ...own.map(({ address }) => address), ...extra.filter(isIP)];
  // A link-local address carries its interface (`fe80::1%eth0`), which no certificate can.
  const bare = addresses.map((address) => address.replace(/%.*$/, ''));
  return { dnsNames: [...new Set(names)], ipAddresses: [...new Set(bare)] };
}

async function ensureCa(dir: string, name: string, commonName: string, now: Date): Promise<Credential> {
  const [keyPath, certPath] = [join(dir, `${name}.key`), join(dir, `${name}.crt`)];
  const existing = await readIfThere(certPath);
  // The key is always written first: a certificate alone means that somebody took the key away.
  if (existing && !(await readIfThere(keyPath)))
    throw new Error(
      `${keyPath} is missing, but ${certPath} exists: restore the key, or delete both to create new ones`,
    );
  const key = await ensureKey(keyPath);
  if (existing && isUsable(existing, key, key, now)) return { certPem: existing, keyPem: pemOf(key) };
  const certPem = issueCertificate({ commonName, use: 'ca', ...validity(now, CA_DAYS) }, key);
  await writeAtomically(certPath, certPem, 0o644);
  return { certPem, keyPem: pemOf(key) };
}

type LeafRequest = Omit<CertificateRequest, 'notBefore' | 'notAfter'>;

async function ensureLeaf(
  dir: string,
  name: string,
  request: LeafRequest,
  ca: Credential,
  now: Date,
): Promise<Credential> {
  const certPath = join(dir, `${name}.crt`);
  const [key, existing] = await Promise.all([ensureKey(join(dir, `${name}.key`)), readIfThere(certPath)]);
  const issuer = issuerOf(ca);
  if (existing && isUsable(existing, key, issuer.key, now) && hasNames(existing, request.subjectAltNames))
    return { certPem: existing, keyPem: pemOf(key) };
  const certPem = issueCertificate({ ...request, ...validity(now, LEAF_DAYS) }, key, issuer);
  await writeAtomically(certPath, certPem, 0o644);
  return { certPem, keyPem: pemOf(key) };
}

async function ensureKey(path: string): Promise<KeyObject> {
  const existing = await readIfThere(path);
  if (existing) {
    await chmod(path, 0o600);
    return parseKey(path, existing);
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeAtomically(path, pemOf(privateKey), 0o600);
  return privateKey;
}

function parseKey(path: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not an ECDSA P-256 key');
    return key;
  } catch (cause) {
    throw new Error(`${path} does not contain a usable private key: restore it, or delete it to create a new one`, {
      cause,
    });
  }
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const issuerOf = (ca: Credential): Issuer => ({ certPem: ca.certPem, key: createPrivateKey(ca.keyPem) });

const validity = (now: Date, days: number) => ({
  notBefore: new Date(now.getTime() - BACKDATE_MS),
  notAfter: new Date(now.getTime() + days * DAY_MS),
});

/** Whether the certificate is for this key, by this signer, and good for a while yet. */
function isUsable(certPem: string, key: KeyObject, signer: KeyObject, now: Date): boolean {
  const certificate = parseCertificate(certPem);
  if (!certificate) return false;
  return (
    certificate.checkPrivateKey(key) &&
    certificate.verify(createPublicKey(signer)) &&
    certificate.validFromDate <= now &&
    certificate.validToDate.getTime() - now.getTime() > RENEW_BELOW_DAYS * DAY_MS
  );
}

/** A file that is no certificate is treated as a missing one: certificates can be made again. */
function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function hasNames(certPem: string, wanted: SubjectAltNames | undefined): boolean {
  if (!wanted) return true;
  const entries = (new X509Certificate(certPem).subjectAltName ?? '').split(', ');
  const present = new Set(entries.map((entry) => canonicalName(entry.replace(/^(DNS|IP Address):/, ''))));
  return [...wanted.dnsNames, ...wanted.ipAddresses].every((name) => present.has(canonicalName(name)));
}

const canonicalName = (name: string): string => (isIP(name) ? addressBytes(name).toString('hex') : name);
