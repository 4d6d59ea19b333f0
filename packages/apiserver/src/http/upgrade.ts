import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ApiError, pathNotFound } from '@vireo/api';
import { type ApiHandler, type ApiRequest, refuseUpgrade, splitTarget } from '@vireo/kube';
import type { Aggregation } from '../aggregation/aggregation.ts';
import { attributesOf } from '../handler.ts';
import type { Authorizer } from '../rbac/authorize.ts';
import { accessForbidden } from '../rbac/forbidden.ts';
import { parseRequestInfo } from '../requestInfo.ts';
import type { Identify } from './identity.ts';

export interface UpgradeParts {
  readonly handle: ApiHandler;
  readonly identify: Identify;
  readonly authorizer: Authorizer;
  readonly aggregation: Aggregation;
  readonly onError: (error: unknown, method: string, target: string) => void;
}

/** Brings WebSocket upgrades, authenticated and authorised, to the aggregated API that they are for. */
export function upgradeTransport(parts: UpgradeParts) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    serve(request, socket, head).catch((error: unknown) => {
      if (!(error instanceof ApiError)) parts.onError(error, request.method ?? 'GET', request.url ?? '/');
      refuseUpgrade(socket, error);
    });
  };

  async function serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { path, query } = splitTarget(request.url ?? '/');
    const user = await parts.identify({
      socket: socket as TLSSocket,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
    });
    const info = parseRequestInfo(request.method ?? 'GET', path, query);
    const attributes = attributesOf({ user, query }, info);
    const decision = parts.authorizer.authorize(attributes);
    if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const upgrade: ApiRequest = {
      method: request.method ?? 'GET',
      path,
      query,
      headers: request.headers as Record<string, string | undefined>,
      user,
      body: async () => undefined,
      signal: gone.signal,
    };
    const handler = info.isResource ? parts.aggregation.upgradeFor(info.group, info.version) : undefined;
    if (handler) {
      await handler(upgrade, request, socket, head);
      return;
    }
    // A subresource that streams nothing says why.
    if (info.isResource && info.subresource !== '') await parts.handle(upgrade);
    throw pathNotFound();
  }
}
