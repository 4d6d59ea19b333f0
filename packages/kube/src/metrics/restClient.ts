import type { ApiCall, Transport } from '../transport.ts';
import type { Metrics } from './metrics.ts';

const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** A transport that counts and times its calls, under KubeVirt's names. `host`: whom it speaks to. */
export function observedTransport(transport: Transport, metrics: Metrics, host: string): Transport {
  const count = metrics.counter({
    name: 'kubevirt_rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host', 'resource', 'verb'],
    isShared: true,
  });
  const time = metrics.histogram(
    {
      name: 'kubevirt_rest_client_request_latency_seconds',
      help: 'Request latency in seconds. Broken down by verb and URL.',
      labels: ['verb', 'url'],
      isShared: true,
    },
    BUCKETS,
  );
  const noted = async <T>(call: ApiCall, isWatch: boolean, action: () => Promise<T>, codeOf: (answer: T) => number) => {
    const startedAt = performance.now();
    const { resource, verb, url } = callInfo(call, isWatch);
    try {
      const answer = await action();
      count([String(codeOf(answer)), call.method, host, resource, verb]);
      return answer;
    } catch (error) {
      // As client-go has it: no answer, no code.
      count([codeOfError(error), call.method, host, resource, verb]);
      throw error;
    } finally {
      time([verb, url], (performance.now() - startedAt) / 1000);
    }
  };
  return {
    call: (call) =>
      noted(
        call,
        false,
        () => transport.call(call),
        ({ status }) => status,
      ),
    watch: (call) =>
      noted(
        call,
        true,
        () => transport.watch(call),
        () => 200,
      ),
    close: () => transport.close(),
  };
}

const codeOfError = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? String(code) : '<error>';
};

const VERBS = { GET: 'GET', POST: 'CREATE', PUT: 'UPDATE', PATCH: 'PATCH', DELETE: 'DELETE' } as const;

/**
 * What a call is about, without what would make each object a series of its own.
 *
 * @example
 * callInfo({ method: 'GET', path: '/api/v1/namespaces/default/pods/web/log' }, false)
 * // { resource: 'pods', verb: 'GET', url: '/api/v1/namespaces/{namespace}/pods/{name}/log' }
 */
export function callInfo({ method, path }: ApiCall, isWatch: boolean): { resource: string; verb: string; url: string } {
  const parts = path.split('/');
  const isCore = parts[1] === 'api';
  if (!isCore && parts[1] !== 'apis') return { resource: 'none', verb: VERBS[method], url: path };
  let at = isCore ? 3 : 4;
  if (parts[at] === 'namespaces' && parts.length > at + 2 && !ABOUT_NAMESPACES.has(parts[at + 2] ?? '')) {
    parts[at + 1] = '{namespace}';
    at += 2;
  }
  const resource = parts[at] ?? 'none';
  const isNamed = parts.length > at + 1;
  if (isNamed) parts[at + 1] = '{name}';
  // What follows a subresource is whatever somebody asks for: a port, a path.
  const url = parts.slice(0, at + 3).join('/');
  if (isNamed || method !== 'GET') return { resource, verb: VERBS[method], url };
  return { resource, verb: isWatch ? 'WATCH' : 'LIST', url };
}

/** `/namespaces/NAME/status` is about the namespace, not about anything in it. */
const ABOUT_NAMESPACES = new Set(['status', 'finalize']);
