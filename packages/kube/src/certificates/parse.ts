import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { COMMON_NAME, ORGANIZATION } from '../serving/certificate.ts';
import * as der from '../serving/der.ts';

/** What a PKCS #10 request asks for, as far as signers look at it. */
export interface ParsedRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Other attributes of the subject that a certificate may carry, in their order. */
  readonly otherNames: readonly (readonly [type: string, value: string])[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** SubjectPublicKeyInfo, as sent. */
  readonly publicKey: Buffer;
}

// White space is part of the one group only: looking for its end would otherwise take the square of its length.
const PEM = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/;
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALT_NAME = '2.5.29.17';
/** C, OU, L, ST, street, postal code, serial number: what Go keeps of a subject beside O and CN. */
const KEPT_NAMES = ['2.5.4.6', '2.5.4.11', '2.5.4.7', '2.5.4.8', '2.5.4.9', '2.5.4.17', '2.5.4.5'];

/**
 * Reads the `spec.request` of a CertificateSigningRequest: base64 of a PEM. Throws an Error that says what is wrong with
 * it, its own signature included.
 */
export function parseCertificateRequest(base64: string): ParsedRequest {
  const pem = PEM.exec(Buffer.from(base64, 'base64').toString('latin1'))?.[1];
  if (pem === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const bytes = Buffer.from(pem, 'base64');
  const [info, algorithm, signature] = parts(bytes, 3);
  if (info.length + algorithm.length + signature.length !== der.contentOf(bytes).length || hasMore(bytes))
    throw new Error('asn1: syntax error: trailing data');
  const [, subject, publicKey, ...attributes] = parts(info, 3);
  const key = readKey(publicKey);
  checkSignature(info, algorithm, signature, key);
  const names = namesOf(subject);
  const valuesOf = (type: string): string[] => names.filter(([each]) => each === type).map(([, value]) => value);
  return {
    commonName: valuesOf(COMMON_NAME).at(-1) ?? '',
    organizations: valuesOf(ORGANIZATION),
    otherNames: names.filter(([type]) => KEPT_NAMES.includes(type)),
    ...altNamesOf(attributes),
    publicKey,
  };
}

/** Whether something follows the element. */
const hasMore = (bytes: Buffer): boolean => {
  const content = der.contentOf(bytes);
  return content.byteOffset + content.length !== bytes.byteOffset + bytes.length;
};

/** At least that many elements of a sequence. */
function parts(sequence: Buffer, count: number): [Buffer, Buffer, Buffer, ...Buffer[]] {
  const elements = sequence[0] === 0x30 ? der.elementsOf(sequence) : [];
  if (elements.length < count) throw new Error('asn1: structure error: sequence truncated');
  return elements as [Buffer, Buffer, Buffer, ...Buffer[]];
}

function readKey(spki: Buffer): KeyObject {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    throw new Error('x509: unknown public key algorithm');
  }
}

interface Algorithm {
  readonly type: string;
  /** Null for those that have one of their own. */
  readonly digest: string | null;
  readonly failure: string;
}

const RSA = { type: 'rsa', failure: 'crypto/rsa: verification error' };
const ECDSA = { type: 'ec', failure: 'x509: ECDSA verification failure' };
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  '1.2.840.113549.1.1.11': { ...RSA, digest: 'sha256' },
  '1.2.840.113549.1.1.12': { ...RSA, digest: 'sha384' },
  '1.2.840.113549.1.1.13': { ...RSA, digest: 'sha512' },
  '1.2.840.10045.4.3.2': { ...ECDSA, digest: 'sha256' },
  '1.2.840.10045.4.3.3': { ...ECDSA, digest: 'sha384' },
  '1.2.840.10045.4.3.4': { ...ECDSA, digest: 'sha512' },
  '1.3.101.112': { type: 'ed25519', failure: 'x509: Ed25519 verification failure', digest: null },
};

/** Whoever asks holds the key: the request is signed with it. */
function checkSignature(info: Buffer, algorithm: Buffer, signature: Buffer, key: KeyObject): void {
  const [id] = parts(algorithm, 1);
  const known = ALGORITHMS[der.dottedOf(id)];
  // The first byte of a bit string counts unused bits.
  const bits = der.contentOf(signature);
  if (!known || known.type !== key.asymmetricKeyType || signature[0] !== 0x03 || bits[0] !== 0)
    throw new Error('x509: cannot verify signature: algorithm unimplemented');
  if (!verify(known.digest, info, key, bits.subarray(1))) throw new Error(known.failure);
}

const namesOf = (subject: Buffer): (readonly [type: string, value: string])[] =>
  der.elementsOf(subject).flatMap((set) =>
    der.elementsOf(set).map((attribute) => {
      const [type, value] = der.elementsOf(attribute);
      if (!type || !value) throw new Error('asn1: structure error: an attribute of the subject has no value');
      return [der.dottedOf(type), textOf(value)] as const;
    }),
  );

/** UTF8String, PrintableString, IA5String, T61String and BMPString. */
function textOf(element: Buffer): string {
  const content = der.contentOf(element);
  const text = decodeText(element[0] ?? 0, content);
  // A name with a zero byte is read as a shorter one by too many programs.
  if (text.includes('\0')) throw new Error('x509: invalid string in the subject');
  return text;
}

function decodeText(tag: number, content: Buffer): string {
  if (tag === 0x0c) return new TextDecoder('utf-8', { fatal: true }).decode(content);
  if (tag === 0x13 || tag === 0x14 || tag === 0x16) return content.toString('latin1');
  if (tag === 0x1e)
    return Buffer.from(content.subarray(0, content.length & ~1))
      .swap16()
      .toString('utf16le');
  throw new Error('asn1: structure error: unsupported string type');
}

type AltNames = Pick<ParsedRequest, 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris'>;

function altNamesOf(attributes: readonly Buffer[]): AltNames {
  const found = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] } as Record<keyof AltNames, string[]>;
  for (const extension of attributes.filter((each) => each[0] === 0xa0).flatMap(extensionsOf)) {
    const [id, ...rest] = der.elementsOf(extension);
    const value = rest.at(-1);
    if (!id || !value || der.dottedOf(id) !== SUBJECT_ALT_NAME) continue;
    for (const name of der.elementsOf(der.contentOf(value))) addName(found, name);
  }
  return found;
}

function addName(found: Record<keyof AltNames, string[]>, name: Buffer): void {
  const content = der.contentOf(name);
  const text = content.toString('latin1');
  if (name[0] === 0x87) found.ipAddresses.push(addressOf(content));
  else if (/[^\x21-\x7e]/.test(text)) throw new Error('x509: SAN is malformed');
  else if (name[0] === 0x81) found.emailAddresses.push(text);
  else if (name[0] === 0x82) found.dnsNames.push(text);
  else if (name[0] === 0x86) found.uris.push(text);
}

const extensionsOf = (attributes: Buffer): Buffer[] =>
  der.elementsOf(attributes).flatMap((attribute) => {
    const [type, values] = der.elementsOf(attribute);
    if (!type || !values || der.dottedOf(type) !== EXTENSION_REQUEST) return [];
    return der.elementsOf(values).flatMap(der.elementsOf);
  });

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.subarray(index * 2, index * 2 + 2).toString('hex'));
  const text = groups.join(':');
  if (bytes.length !== 16 || !isIPv6(text)) throw new Error('x509: cannot parse IP address of length');
  return text;
}
