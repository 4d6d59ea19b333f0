import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { APIService, EndpointSlice, Service, type UnknownObject } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { testAuthority } from './certificates.ts';

/** What an aggregated server was asked. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion: string;
  /** The common name of the certificate that the proxy showed. */
  readonly proxy: string | undefined;
}

/** Serves one group-version over TLS, well or badly, as its paths say. */
export interface AggregatedServer {
  readonly port: number;
  readonly caPem: string;
  readonly asked: Asked[];
  /** How much of what never ends has been sent. */
  readonly sentBytes: () => number;
  /** Whether discovery fails. */
  isBroken: boolean;
  close(): Promise<void>;
}

const RESOURCES = [
  { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list', 'watch'] },
];

/** What a server of today says of itself: all of discovery in one document, and OpenAPI in both versions. */
const documents = (group: string): Readonly<Record<string, unknown>> => ({
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    items: [
      {
        metadata: { name: group },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'things',
                responseKind: { group, version: 'v1', kind: 'Thing' },
                scope: 'Namespaced',
                singularResource: 'thing',
                verbs: ['get'],
                shortNames: ['th'],
                subresources: [
                  {
                    subresource: 'scale',
                    responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                    verbs: ['get'],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  '/openapi/v3': {
    paths: {
      [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=AB` },
      'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=CD' },
    },
  },
  [`/openapi/v3/apis/${group}/v1`]: { openapi: '3.0.0', paths: {}, info: { title: group } },
  '/openapi/v2': {
    swagger: '2.0',
    paths: {
      [`/apis/${group}/v1/things`]: {
        get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/example.Thing' } } } },
      },
      '/apis/apps/v1/deployments': { get: { responses: {} } },
    },
    definitions: {
      'example.Thing': {
        type: 'object',
        properties: { of: { type: 'string', description: group }, again: { $ref: '#/definitions/example.Thing' } },
      },
      'example.Unused': { type: 'object' },
    },
  },
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server for the group; `offersHttp2`: it speaks HTTP/2 as well. */
export async function startAggregatedServer(
  group: string,
  { offersHttp2 = false, serverName = 'things.system.svc' } = {},
): Promise<AggregatedServer> {
  const authority = testAuthority();
  const { certPem: cert, keyPem: key } = authority.serverFor(serverName);
  const asked: Asked[] = [];
  let sent = 0;
  const state = { isBroken: false };

  function* endless() {
    for (;;) {
      sent += 65536;
      yield Buffer.alloc(65536, 'x');
    }
  }
  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const answers: Readonly<Record<string, Answer>> = {
    '/die': (request) => (request.socket as TLSSocket).destroy(),
    '/silent': () => {},
    '/redirect': (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    '/empty': (_, response) => response.writeHead(204).end(),
    '/endless': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      Readable.from(endless())
        .on('error', () => {})
        .pipe(response);
    },
    '/half': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"half"');
      setImmediate(() => response.destroy());
    },
    '/cookies': (_, response) => response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end('{}'),
    '/upload': (request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.once('end', () => json(response, { bytes }));
    },
    '/watch': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const event = (name: string) => ({ type: 'ADDED', object: { kind: 'Thing', metadata: { name } } });
      response.write(`${JSON.stringify(event('one'))}\n`);
      setTimeout(() => response.write(`${JSON.stringify(event('two'))}\n`), 20);
    },
  };
  const respond: Answer = (request, response) => {
    const { method = '', url = '', headers, httpVersion } = request;
    const certificate = (request.socket as TLSSocket).getPeerCertificate?.();
    asked.push({ method, url, headers, httpVersion, proxy: certificate?.subject?.CN as string | undefined });
    const path = url.split('?')[0] ?? '';
    if (path === `/apis/${group}/v1`) {
      const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources: RESOURCES };
      json(response, state.isBroken ? { broken: true } : list, state.isBroken ? 500 : 200);
      return;
    }
    const document = documents(group)[path];
    if (document && !state.isBroken && offersHttp2) {
      json(response, document);
      return;
    }
    const special = answers[path.replace(/^.*\/things/, '')];
    if (special && path.startsWith(`/apis/${group}/v1/things/`)) special(request, response);
    else if (path.startsWith(`/apis/${group}/v1/`)) json(response, { kind: 'Thing', url });
    else json(response, { kind: 'Status', code: 404 }, 404);
  };
  const options = { cert, key, requestCert: true, rejectUnauthorized: false };
  const server = offersHttp2
    ? http2.createSecureServer({ ...options, allowHTTP1: true }, respond as never)
    : https.createServer(options, respond);
  server.on('upgrade', (request, socket, head) => {
    const { method = '', url = '', headers, httpVersion } = request;
    asked.push({ method, url, headers, httpVersion, proxy: undefined });
    if (!url.endsWith('/stream')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno');
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.write(head);
    socket.on('error', () => socket.destroy());
    socket.on('data', (data: Buffer) => socket.write(`${headers['x-remote-user']}: ${data}`));
  });
  const open = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    caPem: authority.caPem,
    asked,
    sentBytes: () => sent,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}

/** How an aggregated server is registered. */
export interface Registration {
  readonly group: string;
  readonly service: string;
  readonly port?: number;
  readonly caPem?: string;
}

/** The APIService of a group. */
export const apiServiceOf = ({ group, service, port = 443, caPem }: Registration): UnknownObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: {
    group,
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { namespace: 'system', name: service, port },
    ...(caPem ? { caBundle: Buffer.from(caPem).toString('base64') } : { insecureSkipTLSVerify: true }),
  },
});

/** Makes a Service that leads to a port of this host, by an EndpointSlice. */
export async function serviceTo(client: Client, name: string, port: number): Promise<void> {
  const metadata = { name, namespace: 'system' };
  await client.of(Service).create({ metadata, spec: { ports: [{ name: 'https', port: 443 }] } });
  await client.of(EndpointSlice).create({
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ name: 'https', port }],
  });
}

/** Registers a group, and waits until it has been found to be available, or not. */
export async function register(client: Client, registration: Registration): Promise<void> {
  await client.of<UnknownObject>(APIService).create(apiServiceOf(registration));
}
