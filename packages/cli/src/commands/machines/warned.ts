import { parseWarnings, type Transport } from '@vireo/kube';

/** The transport, telling on standard error what the server has to say beside its answers, each once, as kubectl does. */
export function warned(transport: Transport, tell: (line: string) => void = console.error): Transport {
  const told = new Set<string>();
  return {
    async call(request) {
      const answer = await transport.call(request);
      for (const text of parseWarnings(answer.headers.warning)) {
        if (!told.has(text)) tell(`Warning: ${text}`);
        told.add(text);
      }
      return answer;
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  };
}
