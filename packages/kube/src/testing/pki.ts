import { generateKeyPairSync } from 'node:crypto';
import { type CertificateRequest, type Issuer, issueCertificate } from '../serving/certificate.ts';

/** PEM texts of a throw-away authority and of what it signed. */
export interface TestPki {
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly client: { readonly certificate: string; readonly key: string };
}

const DAY_MS = 86_400_000;

/** An authority with a server certificate for 127.0.0.1, localhost and vireo.test, and a client certificate for CN=alice. */
export function testPki(): TestPki {
  const ca = issue({ commonName: 'test authority', use: 'ca' });
  const issuer = { certPem: ca.certificate, key: ca.privateKey };
  const subjectAltNames = { dnsNames: ['localhost', 'vireo.test'], ipAddresses: ['127.0.0.1'] };
  return {
    ca: ca.certificate,
    server: issue({ commonName: 'server', use: 'server', subjectAltNames }, issuer),
    client: issue({ commonName: 'alice', use: 'client' }, issuer),
  };
}

function issue(request: Pick<CertificateRequest, 'commonName' | 'use' | 'subjectAltNames'>, issuer?: Issuer) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const certificate = issueCertificate({ ...request, ...validity }, privateKey, issuer);
  return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), privateKey };
}
