import { randomBytes } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '@vireo/kube';
import { steveError } from './errors.ts';

/** What is done about a request that a browser may have been made to send. */
export type CsrfVerdict =
  | { readonly refusal: ApiResponse }
  /** The header of a cookie to be set, where the browser has none yet. */
  | { readonly cookie?: string };

/**
 * Rancher's rule: a browser gets a cookie that only pages of this server can read, and repeats it in a header of every
 * request that changes something. `method`: the one that counts, after `_method`.
 */
export function checkCsrf({ headers, query }: Pick<ApiRequest, 'headers' | 'query'>, method: string): CsrfVerdict {
  if (!headers['user-agent']?.toLowerCase().includes('mozilla')) return {};
  const token = cookieNamed(headers.cookie ?? '', 'CSRF');
  if (token === undefined) return { cookie: `CSRF=${randomBytes(16).toString('hex')}; Path=/; Secure` };
  if (method === 'GET' || (headers['x-api-csrf'] ?? query.get('CSRF')) === token) return {};
  return {
    refusal: steveError(422, 'InvalidCSRFToken', 'the header X-API-CSRF must repeat the cookie CSRF'),
  };
}

function cookieNamed(cookies: string, name: string): string | undefined {
  const found = cookies
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}
