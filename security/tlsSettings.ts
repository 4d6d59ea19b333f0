import type { X509Certificate } from 'node:crypto';
import net from 'node:net';
import { hostname } from 'node:os';
import tls from 'node:tls';
import { forgedCertificates, forgedTokens } from './forgeries.ts';
import type { Ground } from './ground.ts';
import type { Part, Trial } from './part.ts';

const DAY_MS = 24 * 3600 * 1000;
/** What browsers and clients take; and more than a month, or it would be renewed at the next start. */
const [MIN_DAYS, MAX_DAYS] = [30, 398];

export const tlsSettings: Part = {
  name: 'tls',
  about: 'protocol versions, ciphers and certificates; forged, foreign and expired credentials get 401',
  async run(ground, trial) {
    await versions(ground, trial);
    await ciphers(ground, trial);
    await servingCertificate(ground, trial);
    await plainText(ground, trial);
    await refusals(ground, trial);
  },
};

type Handshake = { readonly protocol: string; readonly cipher: string; readonly certificate: X509Certificate };

/** A handshake, or why there is none. Weak clients are made as weak as OpenSSL lets them be. */
function handshake({ port, ca }: Ground, options: tls.ConnectionOptions): Promise<Handshake | Error> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, ...options });
    socket.once('secureConnect', () => {
      const { name = '' } = socket.getCipher() ?? {};
      const certificate = socket.getPeerX509Certificate();
      if (certificate) resolve({ protocol: socket.getProtocol() ?? '', cipher: name, certificate });
      else resolve(new Error('no certificate'));
      socket.destroy();
    });
    socket.once('error', resolve);
  });
}

const weak = (names: string): string => `${names}:@SECLEVEL=0`;

async function versions(ground: Ground, trial: Trial): Promise<void> {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const made = await handshake(ground, { minVersion: version, maxVersion: version, ciphers: weak('ALL') });
    trial.check(made instanceof Error ? undefined : `${version} is taken`);
  }
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const made = await handshake(ground, { minVersion: version, maxVersion: version });
    trial.check(made instanceof Error ? `${version} is not taken: ${made.message}` : undefined);
  }
}

/** Each by itself: those without encryption, authentication or forward secrecy, broken ones, and those that are not AEAD. */
const REFUSED_CIPHERS = [
  'eNULL',
  'aNULL',
  'kRSA',
  'RC4',
  '3DES',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-ECDSA-AES256-SHA384',
];

async function ciphers(ground: Ground, trial: Trial): Promise<void> {
  for (const name of REFUSED_CIPHERS) {
    const made = await handshake(ground, { maxVersion: 'TLSv1.2', ciphers: weak(name) }).catch((error: Error) => error);
    trial.check(made instanceof Error ? undefined : `the cipher ${made.cipher} (${name}) is taken`);
  }
  const usual = await handshake(ground, { maxVersion: 'TLSv1.2' });
  const isGood = !(usual instanceof Error) && /GCM|CHACHA20/.test(usual.cipher);
  trial.check(isGood ? undefined : `TLS 1.2 comes with ${usual instanceof Error ? usual.message : usual.cipher}`);
}

async function servingCertificate(ground: Ground, trial: Trial): Promise<void> {
  const made = await handshake(ground, {});
  if (made instanceof Error) return trial.check(`no handshake: ${made.message}`);
  const { certificate } = made;
  for (const name of ['127.0.0.1', '::1'])
    trial.check(certificate.checkIP(name) ? undefined : `the certificate is not for ${name}`);
  for (const name of ['localhost', hostname(), 'kubernetes.default.svc'])
    trial.check(certificate.checkHost(name) ? undefined : `the certificate is not for ${name}`);
  trial.check(certificate.checkHost('evil.example') ? 'the certificate is for any name' : undefined);
  trial.check(certificate.ca ? 'the certificate of the server may sign others' : undefined);
  const days = (certificate.validToDate.getTime() - Date.now()) / DAY_MS;
  trial.check(days > MIN_DAYS && days < MAX_DAYS ? undefined : `the certificate is good for ${Math.round(days)} days`);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const isStrong = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  trial.check(isStrong ? undefined : `the key of the certificate is ${asymmetricKeyType}`);
}

/** Nothing is said to whoever speaks no TLS. */
async function plainText({ port }: Ground, trial: Trial): Promise<void> {
  const response = await new Promise<string>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  trial.check(/^HTTP\//.test(response) ? `the port answers without TLS: ${response.slice(0, 100)}` : undefined);
}

const SECRETS = '/api/v1/namespaces/kube-system/secrets';

async function refusals(ground: Ground, trial: Trial): Promise<void> {
  const genuine = await ground.wire(ground.admin).send({ method: 'GET', path: SECRETS });
  trial.check(genuine.status === 200 ? undefined : `the administrator got ${genuine.status}`);
  const forged = { ...(await forgedCertificates(ground)), ...(await forgedTokens(ground)) };
  for (const [label, credentials] of Object.entries(forged)) {
    const wire = ground.wire(credentials);
    const { status } = await wire.send({ method: 'GET', path: SECRETS });
    wire.close();
    trial.check(status === 401 ? undefined : `${label} got ${status} instead of 401`);
  }
}
