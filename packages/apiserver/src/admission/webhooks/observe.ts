import type { Metrics } from '@vireo/kube';

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

/** How a call of a webhook ended. */
export interface ObservedCall {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
  readonly seconds: number;
  /** Why the request is refused, if it is. */
  readonly error?: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';
  readonly code: number;
}

/** What counts calls of webhooks. */
export interface WebhookObserver {
  called(call: ObservedCall): void;
  failedOpen(name: string, type: ObservedCall['type']): void;
}

/** Counts and times webhooks, under Kubernetes' names. */
export function observeWebhooks(metrics: Metrics): WebhookObserver {
  const prefix = 'apiserver_admission_webhook';
  const duration = metrics.histogram(
    {
      name: `${prefix}_admission_duration_seconds`,
      help: 'Latency of admission webhooks in seconds, by name, operation and type.',
      labels: ['name', 'type', 'operation', 'rejected'],
    },
    BUCKETS,
  );
  const total = metrics.counter({
    name: `${prefix}_request_total`,
    help: 'Calls of admission webhooks, by name, operation, type and code.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  });
  const rejections = metrics.counter({
    name: `${prefix}_rejection_count`,
    help: 'Requests that an admission webhook rejected, by the kind of the error and the code.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  });
  const failedOpen = metrics.counter({
    name: `${prefix}_fail_open_count`,
    help: 'Calls of admission webhooks that failed and were ignored.',
    labels: ['name', 'type'],
  });
  return {
    called({ name, type, operation, seconds, error, code }) {
      const rejected = String(error !== undefined);
      duration([name, type, operation, rejected], seconds);
      total([name, type, operation, String(code), rejected]);
      if (error) rejections([name, type, operation, error, String(code)]);
    },
    failedOpen: (name, type) => failedOpen([name, type]),
  };
}
