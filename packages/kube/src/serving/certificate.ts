import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import * as der from './der.ts';

/** What a certificate is to say. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** A certificate authority, a server, or a client. */
  readonly use: 'ca' | 'server' | 'client';
  /** Names and addresses that a server answers to. */
  readonly subjectAltNames?: SubjectAltNames;
}

export interface SubjectAltNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** Who signs. Absent: the certificate signs itself. */
export interface Issuer {
  readonly certPem: string;
  readonly key: KeyObject;
}

const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

/** Signs a certificate for `privateKey` (ECDSA P-256) and returns it as PEM. */
export function issueCertificate(request: CertificateRequest, privateKey: KeyObject, issuer?: Issuer): string {
  const publicKey = publicKeyBytes(privateKey);
  const subject = nameOf(request);
  const signer = issuer?.key ?? privateKey;
  const tbs = der.sequence(
    der.explicit(0, der.unsigned(Buffer.from([2]))),
    der.unsigned(randomBytes(16)),
    ECDSA_WITH_SHA256,
    issuer ? subjectOf(issuer.certPem) : subject,
    der.sequence(der.time(request.notBefore), der.time(request.notAfter)),
    subject,
    publicKey,
    der.explicit(3, der.sequence(...extensionsOf(request, publicKey, publicKeyBytes(signer)))),
  );
  const signature = der.bitString(sign('sha256', tbs, { key: signer, dsaEncoding: 'der' }));
  const base64 = der.sequence(tbs, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})(?!$)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

/** The organizations come first, each in a set of its own, as other tools print them. */
function nameOf({ commonName, organizations = [] }: CertificateRequest): Buffer {
  const attribute = (type: string, value: string) =>
    der.set(der.sequence(der.objectIdentifier(type), der.utf8String(value)));
  return der.sequence(
    ...organizations.map((organization) => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

function extensionsOf(request: CertificateRequest, publicKey: Buffer, issuerKey: Buffer): Buffer[] {
  const extension = (id: string, content: Buffer, critical = false) =>
    der.sequence(der.objectIdentifier(id), ...(critical ? [der.TRUE] : []), der.octetString(content));
  const isCa = request.use === 'ca';
  // Bits from the left: digitalSignature is 0, keyCertSign 5, cRLSign 6.
  const usage = isCa ? der.bitString(Buffer.from([0b1000_0110]), 1) : der.bitString(Buffer.from([0b1000_0000]), 7);
  const { dnsNames, ipAddresses } = request.subjectAltNames ?? { dnsNames: [], ipAddresses: [] };
  const names = [
    ...dnsNames.map((name) => der.implicit(2, Buffer.from(name, 'latin1'))),
    ...ipAddresses.map((address) => der.implicit(7, addressBytes(address))),
  ];
  return [
    extension('2.5.29.15', usage, true),
    ...(request.use === 'ca'
      ? []
      : [extension('2.5.29.37', der.sequence(der.objectIdentifier(PURPOSES[request.use])))]),
    extension('2.5.29.19', isCa ? der.sequence(der.TRUE) : der.sequence(), true),
    extension('2.5.29.14', der.octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', der.sequence(der.implicit(0, keyIdentifier(issuerKey)))),
    ...(names.length > 0 ? [extension('2.5.29.17', der.sequence(...names))] : []),
  ];
}

const publicKeyBytes = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });

/** SHA-1 of the key's bits: a name for the key, not a security measure (RFC 5280, 4.2.1.2). */
function keyIdentifier(spki: Buffer): Buffer {
  const bits = der.elementsOf(spki)[1];
  if (!bits) throw new Error('the public key has no key bits');
  return createHash('sha1').update(der.contentOf(bits).subarray(1)).digest();
}

/** The subject's own bytes, so that the issuer of a certificate equals the subject of its authority to the bit. */
function subjectOf(certPem: string): Buffer {
  const tbs = der.elementsOf(new X509Certificate(certPem).raw)[0];
  // version, serial, algorithm, issuer, validity, subject
  const subject = tbs && der.elementsOf(tbs)[5];
  if (!subject) throw new Error('the certificate has no subject');
  return subject;
}

/** The four or sixteen bytes of an address. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = expandEmbeddedIPv4(address).split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  const bytes = Buffer.alloc(16);
  [...front, ...zeros, ...back].forEach((group, index) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  });
  return bytes;
}

/** `::ffff:10.0.0.1` → `::ffff:a00:1`. */
const expandEmbeddedIPv4 = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
