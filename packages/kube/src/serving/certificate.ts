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
/** Object identifiers of a name's attributes. */
export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';
/** Object identifiers of what a certificate proves. */
export const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };
/** Bits of what a key may do. */
export const KEY_USAGES = { digitalSignature: 0, keyEncipherment: 2, certSign: 5, crlSign: 6 };

/** Signs a certificate for `privateKey` (ECDSA P-256) and returns it as PEM. */
export function issueCertificate(request: CertificateRequest, privateKey: KeyObject, issuer?: Issuer): string {
  const subject = nameOf([
    ...(request.organizations ?? []).map((organization) => [ORGANIZATION, organization] as const),
    [COMMON_NAME, request.commonName],
  ]);
  const isCa = request.use === 'ca';
  return signCertificate(
    {
      subject,
      publicKey: publicKeyBytes(privateKey),
      notBefore: request.notBefore,
      notAfter: request.notAfter,
      isCa,
      keyUsages: isCa
        ? [KEY_USAGES.digitalSignature, KEY_USAGES.certSign, KEY_USAGES.crlSign]
        : [KEY_USAGES.digitalSignature],
      purposes: request.use === 'ca' ? [] : [PURPOSES[request.use]],
      ...(request.subjectAltNames && { subjectAltNames: request.subjectAltNames }),
    },
    issuer ?? { key: privateKey, subject },
  );
}

/** What is signed, to the bit: whoever calls has decided everything. */
export interface CertificateContent {
  /** An encoded name, see `nameOf`. */
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isCa: boolean;
  /** Bits of the extension, see `KEY_USAGES`. */
  readonly keyUsages: readonly number[];
  /** Object identifiers, see `PURPOSES`. */
  readonly purposes: readonly string[];
  readonly subjectAltNames?: SubjectAltNames;
}

/** Signs a certificate with an ECDSA P-256 key and returns it as PEM. */
export function signCertificate(
  content: CertificateContent,
  issuer: Issuer | { readonly key: KeyObject; readonly subject: Buffer },
): string {
  const tbs = der.sequence(
    der.explicit(0, der.unsigned(Buffer.from([2]))),
    der.unsigned(randomBytes(16)),
    ECDSA_WITH_SHA256,
    'subject' in issuer ? issuer.subject : subjectOf(issuer.certPem),
    der.sequence(der.time(content.notBefore), der.time(content.notAfter)),
    content.subject,
    content.publicKey,
    der.explicit(3, der.sequence(...extensionsOf(content, publicKeyBytes(issuer.key)))),
  );
  const signature = der.bitString(sign('sha256', tbs, { key: issuer.key, dsaEncoding: 'der' }));
  const base64 = der.sequence(tbs, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})(?!$)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

/** A name from its attributes (object identifier and value), each in a set of its own, as other tools print them. */
export const nameOf = (attributes: readonly (readonly [type: string, value: string])[]): Buffer =>
  der.sequence(
    ...attributes.map(([type, value]) => der.set(der.sequence(der.objectIdentifier(type), der.utf8String(value)))),
  );

/** Bits of the key usage extension, from the left. */
function bitsOf(usages: readonly number[]): Buffer {
  const last = Math.max(...usages);
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  for (const usage of usages) bytes[usage >> 3] = (bytes[usage >> 3] ?? 0) | (0x80 >> (usage & 7));
  return der.bitString(bytes, 7 - (last & 7));
}

function extensionsOf(content: CertificateContent, issuerKey: Buffer): Buffer[] {
  const extension = (id: string, value: Buffer, critical = false) =>
    der.sequence(der.objectIdentifier(id), ...(critical ? [der.TRUE] : []), der.octetString(value));
  const { dnsNames, ipAddresses } = content.subjectAltNames ?? { dnsNames: [], ipAddresses: [] };
  const names = [
    ...dnsNames.map((name) => der.implicit(2, Buffer.from(name, 'latin1'))),
    ...ipAddresses.map((address) => der.implicit(7, addressBytes(address))),
  ];
  return [
    ...(content.keyUsages.length > 0 ? [extension('2.5.29.15', bitsOf(content.keyUsages), true)] : []),
    ...(content.purposes.length > 0
      ? [extension('2.5.29.37', der.sequence(...content.purposes.map(der.objectIdentifier)))]
      : []),
    extension('2.5.29.19', content.isCa ? der.sequence(der.TRUE) : der.sequence(), true),
    extension('2.5.29.14', der.octetString(keyIdentifier(content.publicKey))),
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
