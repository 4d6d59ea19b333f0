import type { ApiCall, ApiCallResult, Transport, WatchEvent } from '../transport.ts';
import type { FakeKubernetes } from './fakeKubernetes.ts';
import { deepFreeze } from './freeze.ts';

/** Calls the fake server in process. What comes out is frozen, so that a test that changes a shared object fails. */
export function fakeTransport(server: FakeKubernetes): Transport {
  return {
    async call(request: ApiCall): Promise<ApiCallResult> {
      request.signal?.throwIfAborted();
      return deepFreeze(server.handle(request));
    },
    async watch(request: ApiCall): Promise<AsyncIterable<WatchEvent>> {
      request.signal?.throwIfAborted();
      return frozenEvents(server.watch(request));
    },
    close: async () => server.endWatches(),
  };
}

async function* frozenEvents(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent, void> {
  for await (const event of events) yield deepFreeze(event);
}
