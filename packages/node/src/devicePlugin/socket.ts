import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import http2, { type ServerHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { type ConnectRouter, createClient } from '@connectrpc/connect';
import { connectNodeAdapter, createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { type DevicePluginOptions, Registration } from './devicePlugin_pb.ts';

/** A gRPC server on a unix socket. */
export interface ServedSocket {
  /** Whether the socket is still where clients look for it: a kubelet that starts removes it. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Serves gRPC on a unix socket, in place of whatever is left of an earlier one. */
export async function serveSocket(path: string, routes: (router: ConnectRouter) => void): Promise<ServedSocket> {
  const closing = new AbortController();
  const server = http2.createServer(
    connectNodeAdapter({ routes, connect: false, grpcWeb: false, shutdownSignal: closing.signal }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => {});
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  const inode = async (): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.ino;
  const own = await inode();
  return {
    isThere: async () => own !== undefined && (await inode()) === own,
    close: async () => {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

const API_VERSION = 'v1beta1';
/** A kubelet dials back before it answers, for up to ten seconds. */
const REGISTER_MS = 15_000;

/** Tells the kubelet behind `kubeletSocket` of a plug-in that is served beside it under the file name `endpoint`. */
export async function registerPlugin(
  kubeletSocket: string,
  plugin: { endpoint: string; resourceName: string; options: Omit<DevicePluginOptions, '$typeName'> },
  signal: AbortSignal,
): Promise<void> {
  const baseUrl = 'http://localhost';
  const sessionManager = new Http2SessionManager(baseUrl, {}, { createConnection: () => connect(kubeletSocket) });
  try {
    const client = createClient(Registration, createGrpcTransport({ baseUrl, sessionManager }));
    await client.register({ version: API_VERSION, ...plugin }, { signal, timeoutMs: REGISTER_MS });
  } finally {
    sessionManager.abort();
  }
}
