import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';

/** One server and one user, as a kubeconfig that stands alone. Certificates and keys are PEM. */
export interface NewKubeconfig {
  readonly server: string;
  readonly certificateAuthority?: string | Buffer;
  readonly token?: string;
  /** A file with a token, read again when it changes. */
  readonly tokenFile?: string;
  readonly certificate?: string | Buffer;
  readonly key?: string | Buffer;
  readonly namespace?: string;
  /** Name of the cluster, the user and the context; default `vireo`. */
  readonly name?: string;
}

/** Writes the file for its owner only, whole or not at all: a reader never meets half of it. */
export async function writeKubeconfig(path: string, config: NewKubeconfig): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(kubeconfigText(config));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The text of that file. */
export function kubeconfigText(config: NewKubeconfig): string {
  const { server, certificateAuthority, token, tokenFile, certificate, key, namespace, name = 'vireo' } = config;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [
      {
        name,
        user: { token, tokenFile, 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
  });
}

const base64 = (pem: string | Buffer | undefined): string | undefined =>
  pem === undefined ? undefined : Buffer.from(pem).toString('base64');
