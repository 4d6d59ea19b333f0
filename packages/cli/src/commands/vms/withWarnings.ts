import { parseWarnings, type Transport } from '@vireo/kube';

/** The transport, printing the warnings of the server on standard error, each once, as kubectl does. */
export function withWarnings(transport: Transport, print: (line: string) => void = console.error): Transport {
  const printed = new Set<string>();
  return {
    async call(request) {
      const answer = await transport.call(request);
      for (const text of parseWarnings(answer.headers.warning)) {
        if (!printed.has(text)) print(`Warning: ${text}`);
        printed.add(text);
      }
      return answer;
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  };
}
