import { type NodeLogs, objectResponse, type StreamSink, TEXT_FORMAT, textResponse } from '@vireo/kube';
import type { ResourceReader } from '../metrics/resourceMetrics.ts';
import type { VmiController } from '../vmi/controller.ts';
import { LogFile } from './logFile.ts';

const MAX_WAITING_BYTES = 1 << 20;

/** What a node tells of itself, as far as the API server asks. */
export interface NodeFacts {
  readonly resources: ResourceReader;
  /** What Prometheus reads. */
  readonly metrics: () => Promise<string>;
  /** Why the node is not well; undefined while it is. */
  readonly problem: () => string | undefined;
}

/** What the API server asks of a node in its own process; of others it asks the same at their ports. */
export const nodeLogs = (controller: VmiController, { resources, metrics, problem }: NodeFacts): NodeLogs => ({
  resourceMetrics: () => resources.metrics(),
  async show(path) {
    switch (path) {
      case '/livez':
        return textResponse('ok');
      case '/healthz':
      case '/readyz':
        return problem() === undefined ? textResponse('ok') : textResponse('not ready', 500);
      case '/metrics':
        return textResponse(await metrics(), 200, TEXT_FORMAT);
      case '/metrics/resource':
        return textResponse(await resources.metrics(), 200, TEXT_FORMAT);
      case '/stats/summary':
        return objectResponse(await resources.summary());
      case '/pods':
        return objectResponse({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: controller.pods() });
      default:
        return undefined;
    }
  },
  async podLog(pod, _container, query, signal) {
    const start = (sink: StreamSink): (() => void) => {
      const gone = new AbortController();
      const stop = AbortSignal.any([signal, gone.signal]);
      // A file that cannot be read on ends the answer where it is, as when the reader goes.
      copyTo(new LogFile(controller.logOf(pod), query), sink, stop).catch(() => {});
      return () => gone.abort();
    };
    return { type: 'stream', status: 200, contentType: 'text/plain', start };
  },
});

async function copyTo(file: LogFile, sink: StreamSink, signal: AbortSignal): Promise<void> {
  try {
    for await (const chunk of file.read(signal)) {
      sink.write({ bytes: () => chunk });
      if (sink.bufferedBytes > MAX_WAITING_BYTES) await waitForDrain(sink, signal);
    }
  } finally {
    sink.end();
  }
}

/** Resolves when the reader has caught up, or is gone and never will. */
function waitForDrain(sink: StreamSink, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  sink.onDrain(stop);
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
