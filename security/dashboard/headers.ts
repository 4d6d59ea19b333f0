import { request as plainRequest } from 'node:http';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const POLICY = ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"];

/** What is missing from an answer below `/dashboard/`; undefined: nothing. */
export function headerProblem(headers: Headers): string | undefined {
  const policy = String(headers['content-security-policy'] ?? '');
  // An answer that is no page may be shut in altogether.
  const isShut = policy.includes("default-src 'none'; sandbox");
  const missing = isShut ? [] : POLICY.filter((part) => !policy.includes(part));
  if (missing.length > 0) return `its policy lacks ${missing.join(', ')}: ${policy}`;
  if (/unsafe-(inline|eval)|\*|https?:/.test(policy)) return `its policy allows too much: ${policy}`;
  if (headers['x-content-type-options'] !== 'nosniff') return 'it may be taken for another type';
  if (headers['referrer-policy'] !== 'no-referrer') return 'its address is told to others';
  if (!isShut && headers['x-frame-options'] !== 'DENY') return 'it can be put into a frame';
  if (headers['access-control-allow-origin'] !== undefined) return 'other pages may read it';
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
