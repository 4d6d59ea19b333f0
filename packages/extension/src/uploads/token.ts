import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '@vireo/api/json.ts';

/** What a token allows: to upload to one claim. */
export interface UploadGrant {
  readonly namespace: string;
  readonly name: string;
}

const ISSUER = 'cdi-apiserver';
const LIFE_SECONDS = 300;
/** Clocks differ. */
const LEEWAY_SECONDS = 10;
const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** Signs and reads tokens for uploads. */
export class UploadTokens {
  readonly #findKey: () => Promise<Buffer>;
  readonly #now: () => number;
  #key: Buffer | undefined;

  /** `findKey` is asked when the key is first needed, and again only if it failed. */
  constructor(findKey: () => Promise<Buffer>, now: () => number = Date.now) {
    this.#findKey = findKey;
    this.#now = now;
  }

  async issue({ namespace, name }: UploadGrant): Promise<string> {
    const issuedAt = Math.floor(this.#now() / 1000);
    const claims = {
      iss: ISSUER,
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + LIFE_SECONDS,
      operation: 'Upload',
      name,
      namespace,
      resource: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
    };
    const signed = `${HEADER}.${encode(claims)}`;
    return `${signed}.${await this.#signature(signed)}`;
  }

  /** What a token allows; undefined where it is not ours, changed or too old. */
  async verify(token: string): Promise<UploadGrant | undefined> {
    const [header, body, signature, ...rest] = token.split('.');
    if (header !== HEADER || !body || !signature || rest.length > 0) return undefined;
    const [given, expected] = [Buffer.from(signature), Buffer.from(await this.#signature(`${header}.${body}`))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (!isObject(claims) || claims.operation !== 'Upload') return undefined;
    const { exp, namespace, name } = claims;
    if (typeof exp !== 'number' || this.#now() / 1000 > exp + LEEWAY_SECONDS) return undefined;
    return typeof namespace === 'string' && typeof name === 'string' ? { namespace, name } : undefined;
  }

  async #signature(text: string): Promise<string> {
    this.#key ??= await this.#findKey();
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
