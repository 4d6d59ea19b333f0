import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import tls, { type ConnectionOptions, type SecureContext } from 'node:tls';

/** How the server at the other end is verified, and the certificate that it is shown. */
export interface TlsConfig {
  /** The name that the certificate must be valid for, whatever address is dialled. */
  readonly serverName: string;
  /** PEM of the only authorities to trust; missing: the system's. */
  readonly caBundle?: string;
  /** Takes any certificate. */
  readonly insecureSkipTLSVerify?: boolean;
  /** Shown to servers that ask for one. */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string };
}

/** What tells one configuration from another. */
export const tlsKey = ({ serverName, caBundle = '', insecureSkipTLSVerify, clientCertificate }: TlsConfig): string =>
  [serverName, insecureSkipTLSVerify ? 'insecure' : caBundle, clientCertificate?.certPem ?? ''].join('\n');

/** Node's options for a configuration, with everything parsed once. Throws in Go's words if the bundle is unusable. */
export function tlsOptions(config: TlsConfig): ConnectionOptions & { readonly secureContext: SecureContext } {
  const { serverName, caBundle, insecureSkipTLSVerify, clientCertificate } = config;
  const isVerified = !insecureSkipTLSVerify;
  const secureContext = tls.createSecureContext({
    ...(isVerified && { ca: caBundle ? certificatesIn(caBundle) : systemRoots() }),
    ...(clientCertificate && { cert: clientCertificate.certPem, key: clientCertificate.keyPem }),
    minVersion: 'TLSv1.2',
  });
  return {
    secureContext,
    rejectUnauthorized: isVerified,
    // SNI carries no addresses; the certificate is checked against the name all the same.
    servername: isIP(serverName) ? '' : serverName,
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(serverName, certificate),
  };
}

function certificatesIn(bundle: string): string[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const usable = blocks.filter(isCertificate);
  if (usable.length === 0) throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  return usable;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

let roots: string[] | undefined;

function systemRoots(): string[] {
  if (!roots) {
    const system = tls.getCACertificates('system');
    roots = system.length > 0 ? system : [...tls.rootCertificates];
  }
  return roots;
}
