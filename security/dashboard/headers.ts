import { request as plainRequest } from 'node:http';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The whole policy of the page, word for word: whoever loosens it must say so here, too. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
/** That of an answer that is no page. */
const SHUT = "default-src 'none'; sandbox";

/** What is wrong with an answer below `/dashboard/`; undefined: nothing. */
export function headerProblem(headers: Headers): string | undefined {
  const policy = headers['content-security-policy'];
  if (policy !== POLICY && policy !== SHUT) return `its policy is another one: ${policy ?? '(none)'}`;
  if (headers['x-content-type-options'] !== 'nosniff') return 'it may be taken for another type';
  if (headers['referrer-policy'] !== 'no-referrer') return 'its address is told to others';
  if (headers['cross-origin-resource-policy'] !== 'same-origin') return 'pages of others may load it';
  if (headers['access-control-allow-origin'] !== undefined) return 'other pages may read it';
  if (policy === SHUT) return undefined;
  if (headers['x-frame-options'] !== 'DENY') return 'it can be put into a frame';
  if (headers['cross-origin-opener-policy'] !== 'same-origin') return 'pages that open it hold on to its window';
  return undefined;
}

const OF_PAGE = [
  '/dashboard',
  '/dashboard/',
  '/dashboard/index.html',
  '/dashboard/theme.js',
  '/dashboard/favicon.svg',
  '/dashboard/assets/none.js',
  '/dashboard/machines/default/web/console',
  '/dashboard/login?code=x&state=y',
  '/dashboard/session',
  '/dashboard/%2e%2e/api',
  '/dashboard/oidc/provider?issuer=x',
  '/dashboard/oidc/token',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Every route of the page, at both of its homes, with every method. */
export async function headers(ground: Ground, local: { readonly port: number }, trial: Trial): Promise<void> {
  const wire = ground.wire({ ca: ground.ca });
  const index = await wire.send({ method: 'GET', path: '/dashboard/' });
  const assets = [...index.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
  for (const path of [...OF_PAGE, ...assets])
    for (const method of METHODS) {
      const answer = await wire.send({ method, path });
      const problem = headerProblem(answer.headers);
      trial.check(problem && `${method} ${path} of the server: ${problem}`);
    }
  const elsewhere = ['/', '/api/v1/secrets', '/version', '/metrics', '/nowhere'];
  for (const path of [...OF_PAGE, ...assets, ...elsewhere])
    for (const method of METHODS)
      for (const host of [`127.0.0.1:${local.port}`, 'evil.test']) {
        const problem = headerProblem(await askPlain(local.port, method, path, host));
        trial.check(problem && `${method} ${path} of vireo dashboard, Host ${host}: ${problem}`);
      }
}

function askPlain(port: number, method: string, path: string, host: string): Promise<Headers> {
  return new Promise((resolve, reject) => {
    const sent = plainRequest({ host: '127.0.0.1', port, method, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers);
    });
    sent.on('error', reject).end();
  });
}
