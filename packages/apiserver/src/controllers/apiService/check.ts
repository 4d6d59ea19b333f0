import type { RemoteApi } from '../../aggregation/apiService.ts';
import { frontProxyHeaders } from '../../aggregation/frontProxy.ts';
import type { Credential } from '../../auth/pki.ts';
import { DEADLINE_EXCEEDED } from '../../services/outbound/goErrors.ts';
import type { Outbound } from '../../services/outbound/outbound.ts';
import { type Address, hostPort, type ResolveService } from '../../services/resolve.ts';

/** What a check of a server takes. */
export interface CheckParts {
  readonly resolve: ResolveService;
  readonly outbound: Outbound;
  readonly clientCertificate: Credential;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 4 << 20;
const AGGREGATOR = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/**
 * Asks the server of an API for its discovery document, several times at once: its endpoints are chosen at random, and
 * one that answers suffices. Resolves with the last failure. What the server's certificate says does not matter here.
 */
export async function checkDiscovery(
  parts: CheckParts,
  api: RemoteApi,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = new AbortController();
  const attempts = Array.from({ length: ATTEMPTS }, () =>
    attempt(parts, api, AbortSignal.any([signal, enough.signal])),
  );
  try {
    await Promise.any(attempts);
    return undefined;
  } catch (error) {
    return ((error as AggregateError).errors.at(-1) as Error).message;
  } finally {
    enough.abort();
  }
}

async function attempt({ resolve, outbound, clientCertificate }: CheckParts, api: RemoteApi, signal: AbortSignal) {
  const { group, version, service, tls } = api;
  const address = resolve(service);
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const url = `https://${hostPort(address)}${path}`;
  const status = await get(address, path).catch((error: Error) => {
    const why =
      error.message === DEADLINE_EXCEEDED
        ? `${error.message} (Client.Timeout exceeded while awaiting headers)`
        : error.message;
    throw new Error(`failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${why}`);
  });
  if (status < 200 || status >= 300)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);

  async function get(to: Address, target: string): Promise<number> {
    const config = { serverName: tls.serverName, insecureSkipTLSVerify: true, clientCertificate };
    const { status } = await outbound.call(
      config,
      { address: to, host: hostPort(to), method: 'GET', path: target, headers: frontProxyHeaders(AGGREGATOR), signal },
      { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    );
    return status;
  }
}
