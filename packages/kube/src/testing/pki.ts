import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** PEM texts of a throw-away authority and of what it signed. */
export interface TestPki {
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly client: { readonly certificate: string; readonly key: string };
}

/**
 * An authority with a server certificate for 127.0.0.1, localhost and vireo.test, and a client certificate for CN=alice.
 * Written out in DER, since Node cannot issue certificates and the tests need no more than these three.
 */
export function testPki(): TestPki {
  const ca = issue('test authority', undefined, [extension('551d13', sequence(boolean(true)))]);
  const names = sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])), dnsName('localhost'), dnsName('vireo.test'));
  return {
    ca: ca.certificate,
    server: issue('server', ca, [extension('551d11', names)]),
    client: issue('alice', ca, []),
  };
}

interface Issued {
  readonly commonName: string;
  readonly certificate: string;
  readonly key: string;
  readonly privateKey: KeyObject;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

function issue(commonName: string, issuer: Issued | undefined, extensions: Buffer[]): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer?.commonName ?? commonName),
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    distinguishedName(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tagged(0xa3, sequence(...extensions))] : []),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { commonName, certificate, key, privateKey };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const dnsName = (name: string): Buffer => tagged(0x82, Buffer.from(name));
const extension = (id: string, value: Buffer): Buffer => sequence(objectId(id), tagged(0x04, value));

const distinguishedName = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(commonName)))));

/** UTCTime: `YYMMDDhhmmssZ`. */
const time = (ms: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
