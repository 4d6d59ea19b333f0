import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The claims of a token, not yet trusted to have any particular type. */
export type Claims = Readonly<Record<string, unknown>>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Tokens are a kilobyte or two; nothing longer is worth the work. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/** Signs claims as a JWT (ES256). */
export function signJwt(claims: Claims, key: KeyObject): string {
  const content = `${encode({ alg: 'ES256', kid: keyId(key) })}.${encode(claims)}`;
  // JWTs carry the two numbers of a signature side by side, not in DER.
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

/** The claims of a JWT that `key` signed; undefined for anything else. The algorithm is ours to say, not the token's. */
export function verifyJwt(token: string, key: KeyObject): Claims | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (decode(header)?.alg !== 'ES256') return undefined;
  const signed = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return signed ? decode(payload) : undefined;
}

function decode(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** A name for a key that anybody can compute from its public half. */
export function keyId(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}
