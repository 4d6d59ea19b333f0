import type { NodeLogs, StreamSink } from '@vireo/kube';
import type { VmiController } from '../vmi/controller.ts';
import { LogFile } from './logFile.ts';

const MAX_WAITING_BYTES = 1 << 20;

/** What the API server asks of this node. */
export const nodeLogs = (controller: VmiController, readResources: () => Promise<string>): NodeLogs => ({
  resourceMetrics: readResources,
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
