import { ConfigMap } from '@vireo/api';
import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { consoleLog, Informers } from '@vireo/kube';
import { bySubjectAccessReview } from '../authorize.ts';
import { createExtension, type Extension, type ExtensionOptions } from '../extension.ts';
import { type Listener, listen } from '../listener/listener.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';
import { frontProxyTrust, TRUST } from './trust.ts';

/** How an extension in a process of its own is started. */
export interface ServeOptions extends Omit<ExtensionOptions, 'informers' | 'authorize'> {
  readonly port: number;
  readonly host?: string;
  /** The certificate that it shows, and its key: PEM. */
  readonly cert: string;
  readonly key: string;
}

/** An extension that answers on the network. */
export interface ServedExtension extends Pick<Listener, 'port' | 'close'> {
  readonly extension: Extension;
  /** Shows another certificate from now on. */
  renew(shown: Pick<ServeOptions, 'cert' | 'key'>): void;
}

/**
 * Serves the extension behind an API server's webhooks and APIServices: by TLS, with users from whoever the API server
 * says that they are to be taken from. Resolves when it can answer.
 */
export async function serveExtension(options: ServeOptions, signal: AbortSignal): Promise<ServedExtension> {
  const { client, port, host, log = consoleLog } = options;
  const informers = new Informers(client);
  const extension = createExtension({ ...options, informers, authorize: bySubjectAccessReview(client) });
  const maps = informers.for(ConfigMap, { namespace: TRUST.namespace, fieldSelector: `metadata.name=${TRUST.name}` });
  informers.start(signal);
  await informers.whenSynced();
  const read = () => {
    const found = maps.get(`${TRUST.namespace}/${TRUST.name}`);
    return found && frontProxyTrust(found);
  };
  const first = read();
  if (!first) throw new Error(`ConfigMap ${TRUST.namespace}/${TRUST.name} names no front proxy`);
  let trust = first;
  let shown: Pick<ServeOptions, 'cert' | 'key'> = options;
  const listener = await listen({
    port,
    ...(host !== undefined && { host }),
    cert: shown.cert,
    key: shown.key,
    frontProxyCa: trust.ca,
    get frontProxyNames() {
      return trust.names;
    },
    handle: extension.handle,
    upgrade: extension.upgrade,
    direct: (target) => {
      const path = target.split('?', 1)[0] ?? '';
      if (UPLOAD_PATHS.includes(path)) return extension.upload;
      return path.startsWith(EXPORT_PREFIX) ? extension.download : undefined;
    },
    openPaths: extension.openPaths,
    onError: (error, target) => log.error('a request failed', undefined, { path: target.split('?', 1)[0], error }),
  });
  const renew = (): void => listener.renew({ cert: shown.cert, key: shown.key, frontProxyCa: trust.ca });
  const follow = (): void => {
    // If the ConfigMap no longer names a front proxy, the previous one stays trusted.
    trust = read() ?? trust;
    renew();
  };
  maps.on({ added: follow, updated: follow });
  return {
    port: listener.port,
    extension,
    renew: (next) => {
      shown = next;
      renew();
    },
    close: () => listener.close(),
  };
}
