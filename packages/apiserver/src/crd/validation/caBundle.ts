import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const UNABLE = 'unable to load root certificates:';

/** What is wrong with certificates of CAs, given in base64. */
export function caBundleError(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString();
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return `${UNABLE} unable to parse bytes as PEM block`;
  return certificates.some(isCertificate) ? undefined : `${UNABLE} failed to parse certificate`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
