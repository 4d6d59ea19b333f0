import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';
import {
  COMMON_NAME,
  KEY_USAGES,
  nameOf,
  ORGANIZATION,
  PURPOSES,
  signCertificate,
} from '@vireo/kube/serving/certificate.ts';

const YEAR_SECONDS = 365 * 24 * 3600;
const MIN_SECONDS = 600;
const BACKDATE_SECONDS = 300;
/** A certificate is valid from that long before it was issued on: clocks of clients may be a little behind. */
export const BACKDATE_MS = BACKDATE_SECONDS * 1000;
/** A certificate that lives shorter than this keeps its whole time. */
const SHORT_SECONDS = 8 * 3600;

const USAGE_BITS: Readonly<Record<string, number>> = {
  'digital signature': KEY_USAGES.digitalSignature,
  'key encipherment': KEY_USAGES.keyEncipherment,
};
const USAGE_PURPOSES: Readonly<Record<string, string>> = {
  'client auth': PURPOSES.client,
  'server auth': PURPOSES.server,
};

/** When a certificate is valid that somebody asked for now. */
export function validityOf(
  expirationSeconds: number | undefined,
  caNotAfter: Date,
  nowMs: number,
): { notBefore: Date; notAfter: Date } {
  const seconds = Math.min(Math.max(expirationSeconds ?? YEAR_SECONDS, MIN_SECONDS), YEAR_SECONDS);
  const lasting = seconds < SHORT_SECONDS ? seconds : seconds - BACKDATE_SECONDS;
  return {
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(Math.min(nowMs + lasting * 1000, caNotAfter.getTime())),
  };
}

/**
 * The certificate for a request that its signer has checked, as PEM: subject and names as asked, no other extension, no
 * authority. The subject is written anew, so that it says what was checked and nothing else.
 */
export function issueRequested(
  request: ParsedRequest,
  { usages, expirationSeconds }: { usages: readonly string[]; expirationSeconds?: number | undefined },
  ca: { readonly certPem: string; readonly keyPem: string },
  nowMs: number,
): string {
  const caNotAfter = new X509Certificate(ca.certPem).validToDate;
  const pick = <T>(table: Readonly<Record<string, T>>): T[] =>
    usages.map((usage) => table[usage]).filter((each) => each !== undefined);
  return signCertificate(
    {
      subject: nameOf([
        ...request.otherNames,
        ...request.organizations.map((organization) => [ORGANIZATION, organization] as const),
        ...(request.commonName ? [[COMMON_NAME, request.commonName] as const] : []),
      ]),
      publicKey: request.publicKey,
      ...validityOf(expirationSeconds, caNotAfter, nowMs),
      isCa: false,
      keyUsages: pick(USAGE_BITS),
      purposes: pick(USAGE_PURPOSES),
      subjectAltNames: request,
    },
    { certPem: ca.certPem, key: createPrivateKey(ca.keyPem) },
  );
}
