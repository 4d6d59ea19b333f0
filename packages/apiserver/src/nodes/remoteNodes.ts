import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { ApiError, isConditionTrue, type Node, unavailable } from '@vireo/api';
import { type NodeLogs, pipedResponse } from '@vireo/kube';
import { endpointOf, type NodeEndpoint, nodeCertificateProblem } from '@vireo/kube/serving/nodeEndpoint.ts';
import type { Pki } from '../auth/pki.ts';
import type { Lookup } from '../strategies/strategy.ts';

/** Nodes that run in processes of their own, as the server reaches them. */
export interface RemoteNodes {
  /** Undefined: there is no such node, or it does not say where it listens. */
  get(name: string): NodeLogs | undefined;
  /** Those that are ready, by name. */
  ready(): Iterable<readonly [name: string, node: NodeLogs]>;
  close(): void;
}

const IDLE_MS = 60_000;
/** Longer texts of errors are not passed on. */
const MAX_ERROR_BYTES = 64 << 10;

/**
 * Asks nodes for logs, metrics and the like as kube-apiserver does: at the address and port of the Node, with a certificate of the
 * server's own. The node's certificate must be signed by the server's authority and be for that node and address.
 */
export function remoteNodes(lookup: Pick<Lookup, 'get' | 'list'>, pki: Pick<Pki, 'ca' | 'kubeletClient'>): RemoteNodes {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const tls = { ca: pki.ca.certPem, cert: pki.kubeletClient.certPem, key: pki.kubeletClient.keyPem };

  function open(name: string, { host, port }: NodeEndpoint, path: string, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(
      {
        ...tls,
        host,
        port,
        path,
        agent,
        signal,
        // Addresses are not sent as server names; the certificate is checked against the address all the same.
        servername: '',
        checkServerIdentity: (_host, shown) => nodeCertificateProblem(name, host, shown),
      },
      resolve,
    );
    // There may be more than one, and nobody else listens for the second.
    sent.on('error', (error) =>
      reject(unavailable(`the node "${name}" does not answer at ${host}:${port}: ${error.message}`)),
    );
    sent.end();
    return promise;
  }

  const connectionTo = (name: string, endpoint: NodeEndpoint): NodeLogs => ({
    async resourceMetrics(signal) {
      const answer = await open(name, endpoint, '/metrics/resource', signal);
      return (await checked(answer)).setEncoding('utf8').reduce((text: string, chunk: string) => text + chunk, '');
    },
    async podLog({ metadata }, container, query, signal) {
      const { namespace = '', name: pod } = metadata;
      const path = ['', 'containerLogs', namespace, pod, container].map(encodeURIComponent).join('/');
      const answer = await checked(await open(name, endpoint, `${path}?${query}`, signal));
      return pipedResponse(answer, 'text/plain');
    },
    async show(path, signal) {
      const answer = await open(name, endpoint, path, signal);
      const { statusCode = 500, headers } = answer;
      // What is not well says so with a status of its own.
      if (statusCode !== 200 && !path.endsWith('z')) await checked(answer);
      return pipedResponse(answer, headers['content-type'] ?? 'text/plain', statusCode);
    },
  });

  const find = (node: Pick<Node, 'metadata' | 'status'> | undefined): NodeLogs | undefined => {
    const endpoint = node && endpointOf(node);
    return endpoint && connectionTo(node.metadata.name ?? '', endpoint);
  };
  return {
    get: (name) => find(lookup.get('', 'nodes', undefined, name) as Node | undefined),
    *ready() {
      for (const node of lookup.list('', 'nodes') as unknown as Node[]) {
        const found = isConditionTrue(node, 'Ready') ? find(node) : undefined;
        if (found) yield [node.metadata.name ?? '', found];
      }
    },
    close: () => agent.destroy(),
  };
}

/** The answer where it is what was asked for; else what the node says is thrown. */
async function checked(answer: IncomingMessage): Promise<IncomingMessage> {
  const status = answer.statusCode ?? 500;
  if (status === 200) return answer;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) if (text.length < MAX_ERROR_BYTES) text += chunk;
  throw ApiError.from(status, parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
