import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ApiError, pathNotFound } from '@vireo/api';
import { type ApiHandler, type ApiRequest, refuseUpgrade, splitTarget, type UserInfo } from '@vireo/kube';
import type { Aggregation } from '../aggregation/aggregation.ts';
import { type Auditor, auditIdOf, type Unserved } from '../audit/auditor.ts';
import { senderOf } from '../audit/context.ts';
import { attributesOf, requireUnescaped } from '../handler.ts';
import type { Authorizer } from '../rbac/authorize.ts';
import { accessForbidden } from '../rbac/forbidden.ts';
import { parseRequestInfo } from '../requestInfo.ts';
import type { Identify } from './identity.ts';

export interface UpgradeParts {
  readonly handle: ApiHandler;
  readonly identify: Identify;
  readonly authorizer: Authorizer;
  readonly aggregation: Aggregation;
  /** Missing: nothing is logged. */
  readonly auditor?: Auditor;
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
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const { path, query } = splitTarget(request.url ?? '/');
    const method = request.method ?? 'GET';
    const headers = request.headers as Record<string, string | undefined>;
    const from = { auditId: auditIdOf(headers['audit-id']), remoteAddress: request.socket.remoteAddress };
    const user = await identified(request, socket, { method, path, query, headers, ...from });
    const info = parseRequestInfo(method, path, query);
    const attributes = attributesOf({ user, query }, info);
    const decision = parts.authorizer.authorize(attributes);
    const body = async (): Promise<undefined> => undefined;
    const upgrade: ApiRequest = { method, path, query, headers, user, body, signal: gone.signal, ...from };
    // What users may do by paths that are no part of Kubernetes' API, whoever serves them looks at.
    const ofPath = info.isResource ? undefined : parts.aggregation.upgradeForPath(path);
    const handler = info.isResource ? parts.aggregation.upgradeFor(info.group, info.version) : ofPath;
    if (handler) {
      const serveIt = async (): Promise<void> => {
        if (!decision.allowed && !ofPath) throw accessForbidden(attributes, decision.reason);
        requireUnescaped(parts.authorizer, upgrade);
        await handler(upgrade, request, socket, head);
      };
      await (parts.auditor ? parts.auditor.upgrade(upgrade, decision, socket, serveIt) : serveIt());
      return;
    }
    if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
    // A subresource that streams nothing says why.
    if (info.isResource && info.subresource !== '') await parts.handle(upgrade);
    throw pathNotFound();
  }

  async function identified(request: IncomingMessage, socket: Duplex, unserved: Unserved): Promise<UserInfo> {
    const { headers, rawHeaders } = request;
    try {
      return await parts.identify({ socket: socket as TLSSocket, headers, rawHeaders });
    } catch (error) {
      parts.auditor?.refused(unserved, senderOf(error), error);
      throw error;
    }
  }
}
