import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Whoever connects can make up methods; each would be a series of its own for ever. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and times requests, under the names that Kubernetes dashboards know. */
export function observeRequests(
  metrics: Metrics,
  store: Store,
  streams: { readonly size: number },
): (method: string, status: number, seconds: number) => void {
  const total = metrics.counter('apiserver_request_total', 'Requests by verb and code.', ['verb', 'code']);
  const duration = metrics.histogram('apiserver_request_duration_seconds', 'Time to the answer.', ['verb'], BUCKETS);
  metrics.gauge('apiserver_longrunning_requests', 'Watches and other answers that go on.', () => streams.size);
  metrics.gauge('apiserver_storage_revision', 'Newest revision of the store.', () => store.revision);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  metrics.gauge('process_start_time_seconds', 'When the process started.', () => Date.now() / 1000 - process.uptime());
  return (method, status, seconds) => {
    const verb = METHODS.has(method) ? method : 'other';
    total([verb, String(status)]);
    duration([verb], seconds);
  };
}
