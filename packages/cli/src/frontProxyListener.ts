import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bySubjectAccessReview, type Extension, type Listener, listen } from '@vireo/extension';
import { type Client, cachedAccessReviews, consoleLog } from '@vireo/kube';

export interface FrontProxyOptions {
  readonly home: string;
  readonly port: number;
  /** The address to listen on; missing: all of them. */
  readonly host?: string;
}

/**
 * Has the extension listen on a port of its own, as it does on a cluster. It shows the server's certificate, and takes
 * requests from whoever shows one that the home's front-proxy authority has signed for `front-proxy-client`. Webhooks
 * as well: they look at objects with the extension's rights, and this home's server reaches them without a port.
 */
export async function listenForFrontProxy(
  extension: Extension,
  client: Client,
  { home, port, host }: FrontProxyOptions,
): Promise<Listener> {
  const read = (name: string): Promise<string> => readFile(join(home, 'pki', name), 'utf8');
  const [cert, key, frontProxyCa] = await Promise.all(
    ['apiserver.crt', 'apiserver.key', 'front-proxy-ca.crt'].map(read),
  );
  const listener = await listen({
    port,
    ...(host !== undefined && { host }),
    cert: cert ?? '',
    key: key ?? '',
    trust: { frontProxyCa: frontProxyCa ?? '', frontProxyNames: ['front-proxy-client'] },
    ...extension.authorizedBy(bySubjectAccessReview(cachedAccessReviews(client))),
    openPaths: ['/healthz'],
    onError: (error, target) =>
      consoleLog.error('a request failed', undefined, { path: target.split('?', 1)[0], error }),
  });
  consoleLog.info('the extension listens for a front proxy', undefined, { port: listener.port });
  return listener;
}
