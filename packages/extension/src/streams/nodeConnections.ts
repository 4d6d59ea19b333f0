import { createServer } from 'node:http';
import { connect } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { unavailable } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { NodeApi } from '@vireo/kube';

/** Opens a connection to a node's API. It speaks HTTP/1.1 with WebSockets, whatever it runs over. */
export interface Dial {
  (): Duplex;
  /** Only of a node in the same process: gigabytes need not be packed into HTTP and out of it again. */
  readonly upload?: NodeApi['upload'];
  readonly exported?: NodeApi['exported'];
}

/** How to reach a node, by its name; undefined: not known. */
export type NodeConnections = (nodeName: string) => Dial | undefined;

/** A node that listens on a unix socket. */
export const unixSocket =
  (path: string): Dial =>
  () =>
    connect(path);

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

/** The way to the node that a VMI runs on. */
export function dialNodeOf(nodes: NodeConnections, vmi: VirtualMachineInstance): Dial {
  const { nodeName } = vmi.status ?? {};
  if (!nodeName) throw unavailable(`${nameOf(vmi)} has no node yet`);
  const dial = nodes(nodeName);
  if (!dial) throw unavailable(`node "${nodeName}" of ${nameOf(vmi)} is unknown to this server`);
  return dial;
}

/** The path of a VMI in the API of its node. */
export const nodePath = ({ metadata }: VirtualMachineInstance, path: string): string =>
  `/v1/namespaces/${metadata.namespace}/virtualmachineinstances/${metadata.name}/${path}`;

export const nameOf = ({ metadata }: VirtualMachineInstance): string =>
  `virtual machine instance ${metadata.namespace}/${metadata.name}`;
