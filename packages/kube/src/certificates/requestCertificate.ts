import { type KeyObject, X509Certificate } from 'node:crypto';
import { CertificateSigningRequest, isReason, type Persisted } from '@vireo/api';
import { Backoff } from '../backoff.ts';
import type { Client } from '../client.ts';
import { pause } from '../clock.ts';
import { certificateRequestPem, newKey, type RequestedNames } from './request.ts';

/** What to ask of a signer. */
export interface CertificateAsk extends RequestedNames {
  /** The request's name begins with it. */
  readonly namePrefix: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  /** Missing: as long as the signer likes. */
  readonly expirationSeconds?: number;
  /** Missing: a new one. */
  readonly key?: KeyObject;
}

/** A certificate with its key, as PEM. */
export interface IssuedCertificate {
  /** With the certificates of authorities between it and its root, where the signer sent any. */
  readonly certPem: string;
  readonly keyPem: string;
  readonly notAfter: Date;
}

/** Usages of client certificates. Key encipherment is RSA's, but servers before 1.27 sign for nodes only with it. */
export const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'] as const;
/** Usages of serving certificates. */
export const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'] as const;

/** The request was denied, or the signer failed it: asking again would not help. */
export class CertificateRefusedError extends Error {}

const WATCH_SECONDS = 300;

/**
 * Has a certificate signed: creates a CertificateSigningRequest, and waits until somebody has approved it
 * and its signer has signed. Rejects where it is denied, with the reason.
 *
 * @example
 * const { certPem, keyPem } = await requestCertificate(client, {
 *   namePrefix: 'vireo-node-', signerName: CLIENT_SIGNER, usages: CLIENT_USAGES, commonName: 'vireo:node:a',
 * }, signal);
 */
export async function requestCertificate(
  client: Client,
  ask: CertificateAsk,
  signal: AbortSignal,
): Promise<IssuedCertificate> {
  const requests = client.of(CertificateSigningRequest);
  const { namePrefix, signerName, usages, expirationSeconds, key = newKey() } = ask;
  const created = await requests.create(
    {
      metadata: { generateName: namePrefix },
      spec: {
        request: btoa(certificateRequestPem(ask, key)),
        signerName,
        usages: [...usages],
        ...(expirationSeconds !== undefined && { expirationSeconds }),
      },
    },
    { signal },
  );
  const certPem = await untilSigned(client, created, signal);
  return {
    certPem,
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    notAfter: new X509Certificate(certPem).validToDate,
  };
}

/** The certificate, as soon as the request has one. A watch that ends, and a server that is away, are waited out. */
async function untilSigned(
  client: Client,
  created: Persisted<CertificateSigningRequest>,
  signal: AbortSignal,
): Promise<string> {
  const requests = client.of(CertificateSigningRequest);
  const { name, resourceVersion } = created.metadata;
  const backoff = new Backoff({ longestMs: 10_000 });
  let since: string | undefined = resourceVersion;
  for (;;) {
    try {
      const found = since ? await nextCertificate(client, created, since, signal) : undefined;
      if (found) return found;
      const request = await requests.find(name, { signal });
      if (!request) throw refused(created, 'was deleted before it was signed');
      const present = certificateOf(request);
      if (present) return present;
      since = request.metadata.resourceVersion;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CertificateRefusedError || isReason(error, 'Forbidden', 'Unauthorized')) throw error;
      // The version may be one that the server no longer has.
      since = undefined;
    }
    await pause(backoff.nextMs(), signal);
    signal.throwIfAborted();
  }
}

/** The certificate that a watch from that version on tells of; undefined where the watch ends before. */
async function nextCertificate(
  client: Client,
  { metadata }: Persisted<CertificateSigningRequest>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const watch = await client.of(CertificateSigningRequest).watch({
    fieldSelector: `metadata.name=${metadata.name}`,
    resourceVersion,
    timeoutSeconds: WATCH_SECONDS,
    signal,
  });
  for await (const event of watch) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') return undefined;
    const found = certificateOf(event.object);
    if (found) return found;
  }
  return undefined;
}

/** The certificate of a request, undefined while it waits. Throws where there will be none. */
function certificateOf(request: Persisted<CertificateSigningRequest>): string | undefined {
  const { certificate, conditions = [] } = request.status ?? {};
  const final = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (final) {
    const verb = final.type === 'Denied' ? 'was denied' : 'was not signed';
    throw refused(request, `${verb}: ${final.message || final.reason || 'without a reason'}`);
  }
  return certificate ? Buffer.from(certificate, 'base64').toString() : undefined;
}

const refused = ({ metadata, spec }: Persisted<CertificateSigningRequest>, problem: string): Error =>
  new CertificateRefusedError(`the certificate request ${metadata.name} (${spec.signerName}) ${problem}`);
