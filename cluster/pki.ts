import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificateRequest, type Issuer, issueCertificate } from '@vireo/kube/serving/certificate.ts';

const HOUR_MS = 3_600_000;
const LIFE_MS = 24 * HOUR_MS;

interface Pair {
  readonly certPem: string;
  readonly key: KeyObject;
}

/** What a control plane authenticates with, as kubeadm lays it out: files `NAME.crt` and `NAME.key` in one directory. */
export interface Pki {
  readonly directory: string;
  /** PEM of the authority of clients, servers and kubelets. */
  readonly ca: string;
  /** Certificate and key of a client, as PEM. */
  client(commonName: string, organizations?: readonly string[]): { readonly certificate: string; readonly key: string };
}

/** Makes the authorities of one control plane and everything that they sign for its programs. */
export async function makePki(directory: string, addresses: readonly string[]): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const write = async (name: string, { certPem, key }: Pair): Promise<void> => {
    await writeFile(join(directory, `${name}.crt`), certPem);
    await writeFile(join(directory, `${name}.key`), pemOf(key), { mode: 0o600 });
  };
  const ca = issue({ commonName: 'kubernetes', use: 'ca' });
  const frontProxy = issue({ commonName: 'front-proxy-ca', use: 'ca' });
  const dnsNames = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'];
  await write('ca', ca);
  await write('front-proxy-ca', frontProxy);
  await write('front-proxy-client', issue({ commonName: 'front-proxy-client', use: 'client' }, frontProxy));
  await write(
    'apiserver',
    issue(
      { commonName: 'kube-apiserver', use: 'server', subjectAltNames: { dnsNames, ipAddresses: [...addresses] } },
      ca,
    ),
  );
  const kubeletClient = {
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
    use: 'client',
  } as const;
  await write('apiserver-kubelet-client', issue(kubeletClient, ca));
  const accounts = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(join(directory, 'sa.key'), pemOf(accounts.privateKey), { mode: 0o600 });
  await writeFile(join(directory, 'sa.pub'), accounts.publicKey.export({ type: 'spki', format: 'pem' }));
  return {
    directory,
    ca: ca.certPem,
    client: (commonName, organizations = []) => {
      const { certPem, key } = issue({ commonName, organizations, use: 'client' }, ca);
      return { certificate: certPem, key: pemOf(key) };
    },
  };
}

function issue(request: Omit<CertificateRequest, 'notBefore' | 'notAfter'>, issuer?: Issuer): Pair {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + LIFE_MS) };
  return { certPem: issueCertificate({ ...request, ...validity }, key, issuer), key };
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
