import { X509Certificate } from 'node:crypto';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { UserInfo } from '@vireo/kube';

/** What of a connection says who is at its other end. */
export type Peer = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;

/** Whether one of some authorities has signed a certificate (DER). */
export type SignedBy = (raw: Buffer) => boolean;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const MAX_REMEMBERED = 256;

/** The certificates of a bundle. */
export const certificatesIn = (bundle: string): X509Certificate[] =>
  (bundle.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));

/** A listener trusts several authorities at once: this tells whose a certificate is. Those between count if they are in the bundle. */
export function signedBy(bundle: string): SignedBy {
  const authorities = certificatesIn(bundle);
  const known = new Map<string, boolean>();
  return (raw) => {
    const key = raw.toString('base64');
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const certificate = new X509Certificate(raw);
    const isSigned = authorities.some(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    );
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, isSigned);
    return isSigned;
  };
}

/** The common name of a certificate; of several the last. */
export const nameOf = ({ subject }: PeerCertificate): string | undefined => listOf(subject?.CN).at(-1);

/** The user that a client certificate is for, as Kubernetes reads it. */
export function certificateUser(certificate: PeerCertificate): UserInfo | undefined {
  const username = nameOf(certificate);
  if (!username) return undefined;
  return { username, groups: [...new Set([...listOf(certificate.subject.O), 'system:authenticated'])] };
}

const listOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());
