import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { ApiError, isStatus } from '@vireo/api';
import { type HttpConfig, impersonationHeaders } from '@vireo/kube';
import { WebSocket } from 'ws';

/**
 * What the client of the project does not do: streams in both directions, and answers that are bytes. Both go over
 * HTTP/1.1 with the identity that the kubeconfig gives.
 */
export async function identity(target: HttpConfig) {
  const { certificate, key, token } = (await target.credentials?.get()) ?? {};
  return {
    ca: target.certificateAuthority,
    cert: certificate,
    key,
    rejectUnauthorized: !target.insecure,
    ...(target.serverName && { servername: target.serverName }),
    headers: {
      'user-agent': 'vireo',
      ...(token && { authorization: `Bearer ${token}` }),
      ...impersonationHeaders(target.impersonate),
    },
  };
}

const CONNECT_MS = 60_000;

/** Opens a stream; it is paused until its listeners are in place. Throws ApiError when the server refuses. */
export async function openStream(target: HttpConfig, path: string): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const socket = new WebSocket(urlOf(target, path).replace(/^http/, 'ws'), 'plain.kubevirt.io', {
    ...(await identity(target)),
    handshakeTimeout: CONNECT_MS,
    perMessageDeflate: false,
  });
  socket.once('open', () => {
    socket.pause();
    resolve(socket);
  });
  socket.once('unexpected-response', (_, response) => {
    // A server may keep the connection open, which would keep this process. The response loses it at its end.
    const connection = response.socket;
    const refuse = (error: Error): void => {
      connection.destroy();
      reject(error);
    };
    bodyOf(response).then((body) => refuse(refusedStream(response.statusCode ?? 0, body.toString())), refuse);
  });
  socket.on('error', reject);
  return promise;
}

/** The bytes at a path. Throws ApiError when the server refuses. */
export async function fetchBytes(target: HttpConfig, path: string): Promise<Buffer> {
  const url = urlOf(target, path);
  const options = { ...(await identity(target)), timeout: CONNECT_MS };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = url.startsWith('https:') ? tlsRequest(url, options, resolve) : plainRequest(url, options, resolve);
  request.on('error', reject);
  request.on('timeout', () => request.destroy(new Error(`${target.server} did not respond within ${CONNECT_MS} ms`)));
  request.end();
  const response = await promise;
  const body = await bodyOf(response);
  const code = response.statusCode ?? 0;
  if (code >= 300) throw ApiError.from(code, parsed(body.toString()));
  return body;
}

/** A refused upgrade as an error: the server's own message where it sent one. */
export function refusedStream(code: number, text: string): ApiError {
  const body = parsed(text);
  if (isStatus(body)) return ApiError.from(code, body);
  const general =
    { 404: 'Virtual Machine not found.', 500: 'Websocket failed due to internal server error.' }[code] ??
    `the server answered with HTTP ${code}`;
  return new ApiError(undefined, [general, text.trim()].filter(Boolean).join(' '), undefined, code);
}

/** Where a path is on the server. */
export const urlOf = ({ server }: HttpConfig, path: string): string => `${server.replace(/\/$/, '')}${path}`;

const bodyOf = async (response: IncomingMessage): Promise<Buffer> => Buffer.concat(await response.toArray());

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
