import { type IncomingMessage, Agent as PlainAgent, request as plainRequest, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { HttpConfig } from '@vireo/kube';
import { identity, urlOf } from '../vms/http1.ts';
import { reasonOf } from '../vms/refusal.ts';
import { requestHeaders, responseHeaders } from './guard.ts';
import { areRenewed } from './renewedCredentials.ts';

/** Carries requests of the page to the cluster and answers back, with the identity of the kubeconfig. */
export interface Forwarder {
  forward(target: string, request: IncomingMessage, response: ServerResponse, extra?: ExtraHeaders): Promise<void>;
  close(): void;
}

/** Headers that some requests and their answers have besides those of all. */
export interface ExtraHeaders {
  readonly request: Readonly<Record<string, string>>;
  readonly response: (headers: IncomingMessage['headers'], status: number) => Readonly<Record<string, string>>;
}

export function createForwarder(cluster: HttpConfig): Forwarder {
  const isPlain = cluster.server.startsWith('http:');
  const agent = isPlain ? new PlainAgent({ keepAlive: true }) : new TlsAgent({ keepAlive: true });
  const send = isPlain ? plainRequest : tlsRequest;

  async function open(
    target: string,
    incoming: IncomingMessage,
    body: Buffer | undefined,
    signal: AbortSignal,
    extra: ExtraHeaders | undefined,
  ): Promise<IncomingMessage> {
    const { headers: own, ...connection } = await identity(cluster);
    const headers = { ...requestHeaders(incoming.headers), ...bodyLength(incoming), ...extra?.request, ...own };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = urlOf(cluster, target);
    // The server may close an idle connection just when it is used again: a question can be asked once more, and what
    // changes something has a connection of its own.
    const canRepeat = body !== undefined && isQuestion(incoming.method, target);
    const options = { ...connection, agent: canRepeat && agent, method: incoming.method, headers, signal };
    const attempt = (): void => {
      const outgoing = send(url, options, resolve);
      outgoing.on('error', (error) => {
        if (canRepeat && outgoing.reusedSocket && !signal.aborted) attempt();
        else reject(error);
      });
      if (body) outgoing.end(body);
      else pipeline(incoming, outgoing).catch(reject);
    };
    attempt();
    return promise;
  }

  return {
    async forward(target, incoming, response, extra) {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      let answer: IncomingMessage;
      try {
        const shown = (await cluster.credentials?.get()) ?? {};
        const body = await smallBody(incoming);
        answer = await open(target, incoming, body, gone.signal, extra);
        // Whoever is not known has done nothing yet, so that also a write can be sent again.
        if (answer.statusCode === 401 && (await areRenewed(cluster.credentials, shown)) && body) {
          answer.resume();
          answer = await open(target, incoming, body, gone.signal, extra);
        }
      } catch (error) {
        if (gone.signal.aborted) return;
        response.writeHead(502, { ...responseHeaders({}), 'content-type': 'text/plain; charset=utf-8' });
        response.end(`${cluster.server} cannot be reached: ${reasonOf(error)}\n`);
        return;
      }
      const status = answer.statusCode ?? 502;
      response.writeHead(status, { ...responseHeaders(answer.headers), ...extra?.response(answer.headers, status) });
      // Whichever side goes first, the other ends with it.
      await pipeline(answer, response).catch(() => {});
    },
    close: () => agent.destroy(),
  };
}

/** Whether a request changes nothing, so that it does not matter how often the cluster gets it. */
const isQuestion = (method: string | undefined, target: string): boolean =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && SELF_REVIEW.test(target));

/** What the page asks about the rights of its user. */
const SELF_REVIEW = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/selfsubject\w+(\?|$)/;

/** Bodies that are kept, so that a request can be sent again: all but files. */
const MOST_KEPT_BYTES = 1 << 20;

/** The body of a request, or none; undefined if it is large, or nobody knows how large. */
async function smallBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
  if (coding !== undefined || Number(length ?? 0) > MOST_KEPT_BYTES) return undefined;
  return Buffer.concat(await incoming.toArray());
}

/** Node frames the body of a DELETE only if its length is given; without that, it would be read as another request. */
const bodyLength = ({ headers }: IncomingMessage): Record<string, string> =>
  headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] };
