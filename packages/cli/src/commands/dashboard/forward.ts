import { type IncomingMessage, Agent as PlainAgent, request as plainRequest, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { HttpConfig } from '@vireo/kube';
import { identity, urlOf } from '../vms/http1.ts';
import { reasonOf } from '../vms/refusal.ts';
import { requestHeaders, responseHeaders } from './guard.ts';

/** Carries requests of the page to the cluster and answers back, with the identity of the kubeconfig. */
export interface Forwarder {
  forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

export function createForwarder(cluster: HttpConfig): Forwarder {
  const isPlain = cluster.server.startsWith('http:');
  const agent = isPlain ? new PlainAgent({ keepAlive: true }) : new TlsAgent({ keepAlive: true });
  const send = isPlain ? plainRequest : tlsRequest;

  async function open(target: string, incoming: IncomingMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const { headers: own, ...connection } = await identity(cluster);
    const headers = { ...requestHeaders(incoming.headers), ...own };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = urlOf(cluster, target);
    const outgoing = send(url, { ...connection, agent, method: incoming.method, headers, signal }, resolve);
    outgoing.on('error', reject);
    pipeline(incoming, outgoing).catch(reject);
    return promise;
  }

  return {
    async forward(target, incoming, response) {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      let answer: IncomingMessage;
      try {
        answer = await open(target, incoming, gone.signal);
      } catch (error) {
        if (gone.signal.aborted) return;
        response.writeHead(502, { ...responseHeaders({}), 'content-type': 'text/plain; charset=utf-8' });
        response.end(`${cluster.server} cannot be reached: ${reasonOf(error)}\n`);
        return;
      }
      if (answer.statusCode === 401) cluster.credentials?.reject();
      response.writeHead(answer.statusCode ?? 502, responseHeaders(answer.headers));
      // Whichever side goes first, the other ends with it.
      await pipeline(answer, response).catch(() => {});
    },
    close: () => agent.destroy(),
  };
}
