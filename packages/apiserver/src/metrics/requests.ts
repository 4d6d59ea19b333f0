import { type Metrics, observeProcess } from '@vireo/kube';
import { parseRequestInfo, type RequestInfo } from '../requestInfo.ts';
import type { Store } from '../store/store.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A request that was answered. */
export interface ObservedResponse {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
  readonly seconds: number;
}

export interface ObservedServer {
  readonly store: Pick<Store, 'revision'>;
  /** Answers that go on. */
  readonly streams: { readonly size: number };
  /** Whether there is such a resource. */
  readonly isServed: (group: string, version: string, resource: string) => boolean;
}

/** Counts and times requests, under the names that Kubernetes dashboards know. */
export function observeRequests(metrics: Metrics, server: ObservedServer): (response: ObservedResponse) => void {
  const about = ['group', 'version', 'resource', 'subresource', 'scope'];
  const total = metrics.counter({
    name: 'apiserver_request_total',
    help: 'Requests over the network, by verb, resource and status code.',
    labels: ['verb', ...about, 'code'],
  });
  const duration = metrics.histogram(
    {
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency in seconds. For watches, the time until the watch starts.',
      labels: ['verb', 'group', 'resource'],
    },
    BUCKETS,
  );
  const { store, streams } = server;
  metrics.gauge(
    'apiserver_longrunning_requests',
    'Number of active long-running requests, such as watches.',
    () => streams.size,
  );
  metrics.gauge('apiserver_storage_revision', 'Current revision of the store.', () => store.revision);
  observeProcess(metrics);
  return ({ method, target, status, seconds }) => {
    const { verb, group, version, resource, subresource, scope } = labelsOf(method, target, status, server.isServed);
    total([verb, group, version, resource, subresource, scope, String(status)]);
    duration([verb, group, resource], seconds);
  };
}

interface Labels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** Whoever connects can make up methods, resources and names; each would be a series of its own for ever. */
function labelsOf(method: string, target: string, status: number, isServed: ObservedServer['isServed']): Labels {
  const info = infoOf(method, target);
  const verb = VERBS[info?.verb ?? ''] ?? (method === 'HEAD' ? 'GET' : 'other');
  const nothing = { verb, group: '', version: '', resource: '', subresource: '', scope: '' };
  if (!info?.isResource) return nothing;
  const { group, version, resource, name, namespace } = info;
  // An aggregated API alone knows what it serves; what it has answered well is there.
  if (!isServed(group, version, resource) && status >= 400) return nothing;
  const subresource = status < 400 ? info.subresource : '';
  const scope = name ? 'resource' : namespace === undefined ? 'cluster' : 'namespace';
  return { verb, group, version, resource, subresource, scope };
}

function infoOf(method: string, target: string): RequestInfo | undefined {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  try {
    return parseRequestInfo(method, path, new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)));
  } catch {
    // A path that is not properly escaped is about nothing.
    return undefined;
  }
}
