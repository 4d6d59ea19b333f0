import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeAtomically } from '../files.ts';
import type { IssuedCertificate } from './requestCertificate.ts';

/** Keeps a certificate and its key as `NAME.crt` and `NAME.key` of a directory, for their owner only. */
export class CertificateFiles {
  readonly #directory: string;
  readonly #certPath: string;
  readonly #keyPath: string;

  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#certPath = join(directory, `${name}.crt`);
    this.#keyPath = join(directory, `${name}.key`);
  }

  /** The pair that is kept; undefined where there is none, or where it cannot be read as one. */
  async read(): Promise<IssuedCertificate | undefined> {
    const certPem = await readIfThere(this.#certPath);
    if (certPem === undefined) return undefined;
    const pair = pairOf(certPem, await readIfThere(this.#keyPath));
    if (pair) return pair;
    // Whoever replaced the pair last ended between the two renames.
    const completed = pairOf(certPem, await readIfThere(`${this.#keyPath}.new`));
    if (completed) await rename(`${this.#keyPath}.new`, this.#keyPath);
    return completed;
  }

  /** Puts a pair in the place of the one that is kept. After a crash at any moment, `read` finds one or the other. */
  async replace({ certPem, keyPem }: IssuedCertificate): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeAtomically(`${this.#keyPath}.new`, keyPem, 0o600);
    await writeAtomically(this.#certPath, certPem, 0o600);
    await rename(`${this.#keyPath}.new`, this.#keyPath);
  }

  /** Removes the pair that is kept. */
  async remove(): Promise<void> {
    for (const path of [this.#certPath, this.#keyPath, `${this.#keyPath}.new`]) await rm(path, { force: true });
  }
}

function pairOf(certPem: string, keyPem: string | undefined): IssuedCertificate | undefined {
  if (keyPem === undefined) return undefined;
  try {
    const certificate = new X509Certificate(certPem);
    if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return undefined;
    return { certPem, keyPem, notAfter: certificate.validToDate };
  } catch {
    // A file that is no certificate is treated as a missing one: another can be requested.
    return undefined;
  }
}
