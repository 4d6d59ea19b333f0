import type { ApiCall, Transport } from '@vireo/kube';

/** From this level on, requests are told, as kubectl does. */
const REQUESTS = 6;

/** The transport, telling each request on standard error where the level asks for it. */
export function traced(transport: Transport, server: string, level: number): Transport {
  if (level < REQUESTS) return transport;
  const told = async <T>(request: ApiCall, send: () => Promise<T>, outcome: (answer: T) => string): Promise<T> => {
    const startedAt = performance.now();
    const tell = (end: string): void =>
      console.error(
        `${request.method} ${server}${request.path} ${end} in ${Math.round(performance.now() - startedAt)} ms`,
      );
    try {
      const answer = await send();
      tell(outcome(answer));
      return answer;
    } catch (error) {
      tell(`failed: ${error instanceof Error ? error.message : error}`);
      throw error;
    }
  };
  return {
    call: (request) =>
      told(
        request,
        () => transport.call(request),
        ({ status }) => String(status),
      ),
    watch: (request) =>
      told(
        request,
        () => transport.watch(request),
        () => 'watching',
      ),
    close: () => transport.close(),
  };
}
