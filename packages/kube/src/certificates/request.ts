import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { addressBytes, COMMON_NAME, nameOf, ORGANIZATION } from '../serving/certificate.ts';
import * as der from '../serving/der.ts';

/** Who a certificate is to be for, and the names and addresses that it is to serve under. */
export interface RequestedNames {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const EXTENSION_REQUEST = der.objectIdentifier('1.2.840.113549.1.9.14');
const SUBJECT_ALT_NAME = der.objectIdentifier('2.5.29.17');

/** A new key, ECDSA P-256. */
export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A PKCS #10 request for a certificate for that key, as PEM. */
export function certificateRequestPem(names: RequestedNames, key: KeyObject): string {
  const info = der.sequence(
    der.unsigned(Buffer.from([0])),
    nameOf([
      ...(names.organizations ?? []).map((name) => [ORGANIZATION, name] as const),
      [COMMON_NAME, names.commonName],
    ]),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der.explicit(0, attributes(names)),
  );
  const request = der.sequence(info, ECDSA_WITH_SHA256, der.bitString(sign('sha256', info, key)));
  const lines = request.toString('base64').replace(/(.{64})(?!$)/g, '$1\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** Empty where nothing but a subject is asked for. */
function attributes({ dnsNames = [], ipAddresses = [] }: RequestedNames): Buffer {
  const names = [
    ...dnsNames.map((name) => der.implicit(2, Buffer.from(name, 'latin1'))),
    ...ipAddresses.map((address) => der.implicit(7, addressBytes(address))),
  ];
  if (names.length === 0) return Buffer.alloc(0);
  const extension = der.sequence(SUBJECT_ALT_NAME, der.octetString(der.sequence(...names)));
  return der.sequence(EXTENSION_REQUEST, der.set(der.sequence(extension)));
}
