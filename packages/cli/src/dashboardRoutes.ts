import type { ApiServer } from '@vireo/apiserver';
import { loadPage, type Page } from '@vireo/dashboard';
import { type Exchange, splitTarget } from '@vireo/kube';

/** What the page asks first: here, users log in with a token. */
const SESSION = { path: '/dashboard/session', body: Buffer.from('{"mode":"token"}\n') };

/**
 * The dashboard on the server's own port. The page is the same for everybody and needs no login; what it shows comes from
 * the API, which does.
 */
export function addDashboardRoutes({ directRoutes }: Pick<ApiServer, 'directRoutes'>, load = loadPage): void {
  let page: Promise<Page> | undefined;
  const serve = async (exchange: Exchange): Promise<void> => {
    const { path } = splitTarget(exchange.target);
    // Read with the first request: most servers are never looked at.
    page ??= load();
    const { status, headers, body } = (await page).answer(exchange.method, path, exchange.headers['accept-encoding']);
    if (path === SESSION.path && status === 200)
      exchange.send(200, { ...withoutEncoding(headers), 'content-type': 'application/json' }, SESSION.body);
    else exchange.send(status, headers, body);
  };
  const handler = (exchange: Exchange): void => {
    serve(exchange).catch(() => {
      page = undefined;
      exchange.destroy();
    });
  };
  directRoutes.add('/dashboard', handler);
  directRoutes.addBelow('/dashboard/', handler);
}

const withoutEncoding = ({ 'content-encoding': _, ...headers }: Record<string, string>): Record<string, string> =>
  headers;
