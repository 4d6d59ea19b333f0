import type { Term } from './leaderElection.ts';
import type { ApiCall, Transport } from './transport.ts';

/** What was to be written by a process that no longer leads. */
export class LostLeadership extends Error {
  override readonly name = 'LostLeadership';

  constructor({ method, path }: ApiCall) {
    super(`${method} ${path}: another process may lead by now, so nothing was written`);
  }
}

/**
 * A transport that writes only while its process leads: nothing is sent once the lease may have gone to another
 * process, also if this one was stopped for a while and does not know it yet. What is under way then is cut off.
 */
export const leaderTransport = (transport: Transport, { signal, holds }: Term): Transport => ({
  call: (call) => {
    if (call.method === 'GET') return transport.call(call);
    if (!holds()) return Promise.reject(new LostLeadership(call));
    return transport.call({ ...call, signal: call.signal ? AbortSignal.any([call.signal, signal]) : signal });
  },
  watch: (call) => transport.watch(call),
  close: () => transport.close(),
});
