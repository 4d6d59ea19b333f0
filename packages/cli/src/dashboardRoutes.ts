import type { ApiServer } from '@vireo/apiserver';
import { loadPage, type Page } from '@vireo/dashboard';
import { type Exchange, splitTarget } from '@vireo/kube';
import type { LoginProvider } from './dashboardLogin/config.ts';
import { LoginProviders } from './dashboardLogin/providers.ts';
import { loginRoutes } from './dashboardLogin/routes.ts';

export interface DashboardRoutesOptions {
  /** Identity providers that users are offered to log in with. */
  readonly login?: readonly LoginProvider[];
  readonly load?: () => Promise<Page>;
}

/**
 * The dashboard on the server's own port. The page is the same for everybody and needs no login; what it shows comes from
 * the API, which does.
 */
export function addDashboardRoutes(
  { directRoutes, providers }: Pick<ApiServer, 'directRoutes' | 'providers'>,
  { login = [], load = loadPage }: DashboardRoutesOptions = {},
): void {
  let page: Promise<Page> | undefined;
  const logIn = loginRoutes(new LoginProviders(login, (issuer) => providers?.configurationOf(issuer)));
  const serve = async (exchange: Exchange): Promise<void> => {
    if (await logIn(exchange)) return;
    const { path } = splitTarget(exchange.target);
    // Read with the first request: most servers are never looked at.
    page ??= load();
    const { status, headers, body } = (await page).answer(exchange.method, path, exchange.headers['accept-encoding']);
    exchange.send(status, headers, body);
  };
  const handler = (exchange: Exchange): void => {
    serve(exchange).catch(() => {
      page = undefined;
      exchange.destroy();
    });
  };
  directRoutes.add('/dashboard', handler);
  directRoutes.addBelow('/dashboard/', handler);
  directRoutes.add('/', toDashboard, isBrowser);
}

/** Whoever types the address of the server into a browser means the dashboard. To all others `/` is a list of paths. */
const isBrowser = ({ method, headers }: Pick<Exchange, 'method' | 'headers'>): boolean =>
  method === 'GET' &&
  /mozilla/i.test(headers['user-agent'] ?? '') &&
  (headers.accept ?? '').toLowerCase().includes('text/html');

const toDashboard = (exchange: Exchange): void =>
  exchange.send(
    302,
    { location: '/dashboard/', 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
    Buffer.from('The dashboard is at /dashboard/.'),
  );
