import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts and times requests, under the names that Kubernetes dashboards know. */
export function observeRequests(
  metrics: Metrics,
  store: Store,
): (method: string, status: number, seconds: number) => void {
  const total = metrics.counter('apiserver_request_total', 'Requests by verb and code.', ['verb', 'code']);
  const duration = metrics.histogram('apiserver_request_duration_seconds', 'Time to the answer.', ['verb'], BUCKETS);
  metrics.gauge('apiserver_storage_revision', 'Newest revision of the store.', () => store.revision);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  metrics.gauge('process_start_time_seconds', 'When the process started.', () => Date.now() / 1000 - process.uptime());
  return (method, status, seconds) => {
    total([method, String(status)]);
    duration([method], seconds);
  };
}
