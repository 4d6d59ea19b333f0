import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Claims, keyId, signJwt } from '@vireo/apiserver/auth/jwt.ts';
import { type CertificateRequest, issueCertificate } from '@vireo/kube/serving/certificate.ts';
import type { Ground } from './ground.ts';
import { tokenOf } from './permissions/people.ts';
import type { Credentials } from './wire.ts';

const HOUR_MS = 3600 * 1000;

const ADMINISTRATOR = { commonName: 'kubernetes-admin', organizations: ['system:masters'], use: 'client' } as const;

/** Certificates that claim to be the administrator's, by what is wrong with each. */
export async function forgedCertificates({ home, ca }: Ground): Promise<Record<string, Credentials>> {
  const read = (name: string): Promise<string> => readFile(join(home, 'pki', name), 'utf8');
  const issuer = async (name: string) => ({
    certPem: await read(`${name}.crt`),
    key: createPrivateKey(await read(`${name}.key`)),
  });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const now = Date.now();
  const authority = { commonName: 'vireo-ca', use: 'ca', ...around(now) } as const;
  const foreign = { certPem: issueCertificate(authority, stranger), key: stranger };
  const issue = (changes: Partial<CertificateRequest>, by?: Parameters<typeof issueCertificate>[2]): Credentials => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cert = issueCertificate({ ...ADMINISTRATOR, ...around(now), ...changes }, privateKey, by);
    return { ca, cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  };
  const own = await issuer('ca');
  return {
    'a certificate that signed itself': issue({}),
    'a certificate of another authority with our name': issue({}, foreign),
    'a certificate of the front proxy’s authority': issue({}, await issuer('front-proxy-ca')),
    'a certificate that has expired': issue({ notAfter: new Date(now - 60_000) }, own),
    'a certificate that is not valid yet': issue({ notBefore: new Date(now + HOUR_MS / 2) }, own),
    'a certificate for a server': issue({ use: 'server' }, own),
    'the certificate of the server itself': { ca, cert: await read('apiserver.crt'), key: await read('apiserver.key') },
  };
}

const around = (now: number) => ({ notBefore: new Date(now - HOUR_MS), notAfter: new Date(now + HOUR_MS) });

/** Tokens of an account that may do everything, by what is wrong with each. */
export async function forgedTokens(ground: Ground): Promise<Record<string, Credentials>> {
  const { token = '' } = await tokenOf(ground, 'kubevirt', 'kubevirt-controller');
  const key = createPrivateKey(await readFile(join(ground.home, 'pki/sa.key'), 'utf8'));
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims & { 'kubernetes.io': object };
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const publicPem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const symmetric = `${part({ alg: 'HS256', kid: keyId(key) })}.${payload}`;
  const past = { exp: Math.floor(Date.now() / 1000) - 60 };
  const gone = { serviceaccount: { name: 'kubevirt-controller', uid: '00000000-0000-4000-8000-000000000000' } };
  const tokens: Record<string, string> = {
    'a word that is no token': 'password',
    'a token without a signature': `${part({ alg: 'none' })}.${payload}.`,
    'a token signed with the public key': `${symmetric}.${createHmac('sha256', publicPem).update(symmetric).digest('base64url')}`,
    'a token that somebody else signed': signJwt(claims, stranger),
    'a token with other claims': `${header}.${part({ ...claims, sub: 'system:serviceaccount:kube-system:x' })}.${signature}`,
    'a token that has expired': signJwt({ ...claims, ...past }, key),
    'a token for somebody else': signJwt({ ...claims, aud: ['https://elsewhere.example'] }, key),
    'a token of another issuer': signJwt({ ...claims, iss: 'https://elsewhere.example' }, key),
    'a token of an account that was made anew': signJwt(
      { ...claims, 'kubernetes.io': { ...claims['kubernetes.io'], ...gone } },
      key,
    ),
    'a token of many bytes': 'x'.repeat(12_000),
  };
  return Object.fromEntries(Object.entries(tokens).map(([label, each]) => [label, { ca: ground.ca, token: each }]));
}
