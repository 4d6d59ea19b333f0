import { OciError } from '../errors.ts';
import type { Credentials } from './credentials.ts';
import { type HttpResponse, readBody } from './http.ts';
import { retryAfterMs, TryAgain } from './retry.ts';

const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_QUOTE_LENGTH = 200;

/** The error that a response other than the wanted one means, with the server's own words where it has some. */
export async function failureOf(response: HttpResponse, who: string, credentials?: Credentials): Promise<OciError> {
  const { status, headers } = response;
  const body = quoteBody(await readBody(response.body, MAX_REFUSAL_BYTES, 'the refusal').catch(() => Buffer.alloc(0)));
  const message = (meaning: string): string => `${who} responded with ${status} ${meaning}${body && `: ${body}`}`;
  if (status === 401) return new OciError('Unauthorized', message(`Unauthorized; ${describeCredentials(credentials)}`));
  if (status === 403) return new OciError('Forbidden', message(`Forbidden; ${describeCredentials(credentials)}`));
  if (status === 404) return new OciError('NotFound', message('Not Found'));
  if (status === 429)
    return new TryAgain('RateLimited', message('Too Many Requests'), retryAfterMs(headers['retry-after']));
  if (status === 408 || status >= 500)
    return new TryAgain('BadResponse', message('(server error)'), retryAfterMs(headers['retry-after']));
  return new OciError('BadResponse', message('instead of the image'));
}

const describeCredentials = ({ username, identityToken }: Credentials = {}): string => {
  if (identityToken) return 'it rejected the identity token of the pull secret';
  return username === undefined
    ? 'no credentials were sent: set a pull secret for this registry'
    : `it rejected the credentials of user ${JSON.stringify(username)}`;
};

/** The words of `{"errors": [{"code", "message"}]}`, cut and cleaned. */
function quoteBody(body: Buffer): string {
  try {
    const { errors } = JSON.parse(body.toString('utf8'));
    const [{ code, message }] = errors;
    const words = [message, code].find((each): each is string => typeof each === 'string' && each !== '');
    return (words ?? '').replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_QUOTE_LENGTH);
  } catch {
    return '';
  }
}
