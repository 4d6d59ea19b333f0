import { createHash, createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import { parse, stringify } from 'yaml';
import { Fields } from '../kubeconfigFile.ts';
import type { BootstrapToken } from './bootstrapToken.ts';

/** The ConfigMap that tells anybody where the server is, signed by each bootstrap token. */
export const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' } as const;
/** Its key of the kubeconfig. */
export const KUBECONFIG_KEY = 'kubeconfig';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';

/** Its key of a token's signature. */
export const signatureKey = (id: string): string => `${SIGNATURE_PREFIX}${id}`;
/** Whether a key of it is that of a signature. */
export const isSignatureKey = (key: string): boolean => key.startsWith(SIGNATURE_PREFIX);

/** A kubeconfig without a user: a server and its authority. */
export const clusterInfoKubeconfig = (server: string, caPem: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster: { 'certificate-authority-data': Buffer.from(caPem).toString('base64'), server } }],
    contexts: [],
    'current-context': '',
    preferences: {},
    users: [],
  });

/** What `cluster-info` tells whoever joins. */
export interface ClusterInfo {
  /** As it is signed. */
  readonly kubeconfig: string;
  /** `https://HOST:PORT`. */
  readonly server: string;
  /** PEM of the authorities that sign the server's certificate. */
  readonly caPem: string;
}

/** Reads a kubeconfig without users, whose only cluster has no name. */
export function readClusterInfo(kubeconfig: string): ClusterInfo {
  const [entry] = new Fields(parse(kubeconfig), CLUSTER_INFO.name, '').list('clusters');
  const cluster = entry?.object('cluster');
  const caPem = cluster?.bytes('certificate-authority-data')?.toString() ?? '';
  if (!cluster || certificatesOf(caPem).length === 0)
    throw new Error(`${CLUSTER_INFO.name} names no server with its certificate authority`);
  return { kubeconfig, server: cluster.requiredText('server'), caPem };
}

/** A detached JWS (HS256) of a text by a token, to the byte as Kubernetes writes it: its readers compare texts. */
export function signText(text: string, { id, secret }: BootstrapToken): string {
  const header = base64url(`{"alg":"HS256","kid":${JSON.stringify(id)}}`);
  const signature = createHmac('sha256', secret)
    .update(`${header}.${base64url(text)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

/** Whether a token has signed that text. */
export function isSignedBy(text: string, signature: string, token: BootstrapToken): boolean {
  const [wanted, found] = [Buffer.from(signText(text, token)), Buffer.from(signature)];
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** The hash of an authority's public key, as kubeadm prints it: `sha256:…`. */
export function authorityHash(caPem: string): string {
  const spki = new X509Certificate(caPem).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`;
}

/** The certificates of a PEM text, one by one. */
export const certificatesOf = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
