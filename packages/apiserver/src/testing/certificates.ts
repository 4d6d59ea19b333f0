import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type CertificateRequest, issueCertificate } from '@vireo/kube/serving/certificate.ts';
import type { Credential } from '../auth/pki.ts';

/** An authority of a test's own. */
export interface TestAuthority {
  readonly caPem: string;
  /** A certificate of a server, valid for the names. */
  serverFor(...dnsNames: string[]): Credential;
  /** Any certificate. */
  issue(request: Omit<CertificateRequest, 'notBefore' | 'notAfter'>): Credential;
}

/** Makes an authority that is kept nowhere. */
export function testAuthority(): TestAuthority {
  const key = newKey();
  const caPem = issueCertificate({ commonName: 'test-ca', use: 'ca', ...validity() }, key);
  const issue: TestAuthority['issue'] = (request) => {
    const own = newKey();
    return {
      certPem: issueCertificate({ ...request, ...validity() }, own, { certPem: caPem, key }),
      keyPem: pemOf(own),
    };
  };
  return {
    caPem,
    issue,
    serverFor: (...dnsNames) =>
      issue({ commonName: dnsNames[0] ?? '', use: 'server', subjectAltNames: { dnsNames, ipAddresses: [] } }),
  };
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const validity = () => ({ notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3600_000) });
