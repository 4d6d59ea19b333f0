import type { ApiCall, Transport } from '@vireo/kube';

/** From this level on, requests are printed, as kubectl does. */
const REQUESTS = 6;

/** The transport, printing each request on standard error where the level asks for it. */
export function withTracing(transport: Transport, server: string, level: number): Transport {
  if (level < REQUESTS) return transport;
  const trace = async <T>(request: ApiCall, send: () => Promise<T>, outcome: (answer: T) => string): Promise<T> => {
    const startedAt = performance.now();
    const print = (end: string): void =>
      console.error(
        `${request.method} ${server}${request.path} ${end} in ${Math.round(performance.now() - startedAt)} ms`,
      );
    try {
      const answer = await send();
      print(outcome(answer));
      return answer;
    } catch (error) {
      print(`failed: ${error instanceof Error ? error.message : error}`);
      throw error;
    }
  };
  return {
    call: (request) =>
      trace(
        request,
        () => transport.call(request),
        ({ status }) => String(status),
      ),
    watch: (request) =>
      trace(
        request,
        () => transport.watch(request),
        () => 'watching',
      ),
    close: () => transport.close(),
  };
}
