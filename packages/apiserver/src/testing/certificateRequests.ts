import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { addressBytes, COMMON_NAME, nameOf, ORGANIZATION } from '@vireo/kube/serving/certificate.ts';
import * as der from '@vireo/kube/serving/der.ts';

export interface RequestedNames {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly emailAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** A key and a request for a certificate for it, in base64 as a CertificateSigningRequest carries it. */
export function certificateRequest(
  names: RequestedNames,
  key: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  signer = key,
): { readonly request: string; readonly keyPem: string } {
  const text = (tag: number) => (value: string) => der.implicit(tag, Buffer.from(value, 'latin1'));
  const altNames = [
    ...(names.emailAddresses ?? []).map(text(1)),
    ...(names.dnsNames ?? []).map(text(2)),
    ...(names.uris ?? []).map(text(6)),
    ...(names.ipAddresses ?? []).map((address) => der.implicit(7, addressBytes(address))),
  ];
  const extension = der.sequence(der.objectIdentifier('2.5.29.17'), der.octetString(der.sequence(...altNames)));
  const attributes = der.sequence(
    der.objectIdentifier('1.2.840.113549.1.9.14'),
    der.set(der.sequence(...(altNames.length > 0 ? [extension] : []))),
  );
  const info = der.sequence(
    der.unsigned(Buffer.from([0])),
    nameOf([
      ...(names.organizations ?? []).map((name) => [ORGANIZATION, name] as const),
      [COMMON_NAME, names.commonName ?? 'someone'],
    ]),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der.explicit(0, attributes),
  );
  const algorithm = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
  const bytes = der.sequence(info, algorithm, der.bitString(sign('sha256', info, signer)));
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return {
    request: Buffer.from(pem).toString('base64'),
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A PEM of any type, in base64. */
export const pemOf = (type: string, content: string): string =>
  btoa(`-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`);
