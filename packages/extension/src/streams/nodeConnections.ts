import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type Duplex, duplexPair, type Readable } from 'node:stream';
import { unavailable } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

/** Opens a connection to a node's API. It speaks HTTP/1.1 with WebSockets, whatever it runs over. */
export interface Dial {
  (): Duplex;
  /** Only of a node in the same process: gigabytes need not be packed into HTTP and out of it again. */
  readonly upload?: NodeApi['upload'];
  readonly exported?: NodeApi['exported'];
}

/** What is asked of a claim of a node. */
export interface NodeExportRequest {
  /** `namespace/name`. */
  readonly claim: string;
  /** Which form of its data: `disk.img`, `disk.img.gz` and the like. */
  readonly path: string;
  readonly method: string;
  /** Those that ask for a part. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface NodeExport {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

/** Data for a claim of a node. */
export interface NodeUpload {
  /** `namespace/name`. */
  readonly claim: string;
  /** A stream is not ended where the rest of it is not wanted. */
  readonly data: AsyncIterable<Buffer> | Readable;
  /** Whether it is enough that the data is there; what is left to do goes on. */
  readonly isAsync: boolean;
  readonly signal: AbortSignal;
}

/** How to reach a node, by its name; undefined: not known. */
export type NodeConnections = (nodeName: string) => Dial | undefined;

/** A node that listens on a unix socket. */
export const unixSocket =
  (path: string): Dial =>
  () =>
    connect(path);

/** A node's API as functions, for a node in the same process. */
export interface NodeApi {
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Rejects with an error that has the HTTP status for the sender as its `status`. */
  upload?(upload: NodeUpload): Promise<void>;
  exported?(asked: NodeExportRequest): Promise<NodeExport>;
}

/** A node in the same process: the same bytes as over a socket, without one. */
export function inProcessNode(api: NodeApi): Dial {
  const server = createServer((request, response) => api.handle(request, response));
  server.on('upgrade', (request, socket, head) => api.upgrade(request, socket, head));
  const dial = (): Duplex => {
    const [ours, theirs] = duplexPair();
    server.emit('connection', theirs);
    return ours;
  };
  const { upload, exported } = api;
  return Object.assign(dial, { ...(upload && { upload }), ...(exported && { exported }) });
}

/** The way to the node that an instance runs on. */
export function dialNodeOf(nodes: NodeConnections, vmi: VirtualMachineInstance): Dial {
  const { nodeName } = vmi.status ?? {};
  if (!nodeName) throw unavailable(`${nameOf(vmi)} is on no node`);
  const dial = nodes(nodeName);
  if (!dial) throw unavailable(`node "${nodeName}", on which ${nameOf(vmi)} runs, is not known here`);
  return dial;
}

/** The path of an instance in the API of its node. */
export const nodePath = ({ metadata }: VirtualMachineInstance, path: string): string =>
  `/v1/namespaces/${metadata.namespace}/virtualmachineinstances/${metadata.name}/${path}`;

export const nameOf = ({ metadata }: VirtualMachineInstance): string =>
  `virtual machine instance ${metadata.namespace}/${metadata.name}`;
