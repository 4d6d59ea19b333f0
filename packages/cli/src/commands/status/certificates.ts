import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';

/** A certificate and how long it lasts. */
export interface CertificateStatus {
  /** Whose it is: `server`, `kubeconfig`, `extension NAME` or `node NAME`. */
  readonly of: string;
  readonly notAfter?: string;
  /** Why it is not known. */
  readonly problem?: string;
}

const TIMEOUT_MS = 3_000;

/** Reads the certificate that a server shows. Whether to trust it is for those to say who talk to it. */
export async function shownCertificate(of: string, address: string): Promise<CertificateStatus> {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<CertificateStatus>();
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const fail = (problem: string): void => resolve({ of, problem });
  socket.setTimeout(TIMEOUT_MS, () => fail(`${address} does not respond`));
  socket.once('secureConnect', () => resolve({ of, notAfter: toIso(socket.getPeerCertificate().valid_to) }));
  socket.once('error', ({ message }) => fail(`${address} cannot be reached: ${message}`));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

/** The certificate in a PEM text. */
export const certificateIn = (of: string, pem: string): CertificateStatus => ({
  of,
  notAfter: toIso(new X509Certificate(pem).validTo),
});

const toIso = (text: string): string => new Date(text).toISOString();
