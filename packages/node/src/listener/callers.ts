import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { badRequest, forbidden, unauthorized } from '@vireo/api';
import { bearerTokenOf, type ReviewAccess, type ReviewToken, type UserInfo } from '@vireo/kube';

/** Whom the node asks about its callers. */
export interface CallerReviews {
  readonly token: ReviewToken;
  readonly access: ReviewAccess;
}

/** What of a request says who sends it. */
export type CallerRequest = Pick<IncomingMessage, 'headers' | 'method' | 'url'> & {
  readonly socket: Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;
};

const NODES = { group: '', resource: 'nodes' };

/** Who sends a request: by a certificate of the cluster's authority, else by a bearer token. Throws 401 for nobody. */
export async function identify(
  { headers, socket }: CallerRequest,
  reviews: CallerReviews,
  nowMs: number,
): Promise<UserInfo> {
  const certificate = socket.getPeerCertificate();
  if (certificate?.raw) {
    if (!socket.authorized || Date.parse(certificate.valid_to) <= nowMs)
      throw unauthorized('the certificate is not signed by the authority of this cluster, or is not valid now');
    const subject = certificate.subject as unknown as Readonly<Record<'CN' | 'O', string | string[] | undefined>>;
    const username = [subject?.CN ?? []].flat().at(-1);
    if (!username) throw unauthorized('the certificate names nobody');
    return { username, groups: [...new Set([...[subject.O ?? []].flat(), 'system:authenticated'])] };
  }
  const token = bearerTokenOf(headers.authorization);
  if (!token) throw unauthorized('a client certificate or a bearer token is required');
  return reviews.token(token);
}

/**
 * What a request to a node means to RBAC: as a kubelet sees it, and for VMs, whose paths no kubelet has, by a subresource
 * of our own. Whoever has that right can open no container on other nodes.
 */
export interface NodeAccess {
  readonly verb: string;
  readonly subresource: 'proxy' | 'metrics' | 'stats' | 'vms';
}

/** By the first segment of the path; others are `proxy`. */
const SUBRESOURCES: Readonly<Record<string, NodeAccess['subresource']>> = {
  metrics: 'metrics',
  stats: 'stats',
  v1: 'vms',
};

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The right that a request needs on `nodes`. Streams change what they reach, whatever method opens them. */
export function accessOf(method: string | undefined, path: string, isUpgrade: boolean): NodeAccess {
  const [, first = ''] = path.split('/', 2);
  const subresource = Object.hasOwn(SUBRESOURCES, first) ? SUBRESOURCES[first] : undefined;
  return { verb: isUpgrade ? 'create' : (VERBS[method ?? ''] ?? 'create'), subresource: subresource ?? 'proxy' };
}

/** Throws unless whoever sends the request may: 401 for nobody, 403 for whom the cluster does not let. */
export async function requireCaller(
  request: CallerRequest,
  node: string,
  reviews: CallerReviews,
  { isUpgrade, nowMs }: { readonly isUpgrade: boolean; readonly nowMs: number },
): Promise<void> {
  const user = await identify(request, reviews, nowMs);
  const { verb, subresource } = accessOf(request.method, pathOf(request), isUpgrade);
  const { allowed } = await reviews.access(user, {
    resourceAttributes: { group: '', version: 'v1', resource: 'nodes', name: node, verb, subresource },
  });
  if (allowed) return;
  const who = JSON.stringify(user.username);
  throw forbidden(NODES, node, `User ${who} cannot ${verb} resource "nodes/${subresource}" in API group ""`);
}

/** The path of a request as whoever answers it reads it: `/metrics/../x` is `/x`. Throws 400 for what is no URL. */
export function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  try {
    return new URL(url ?? '/', 'http://node').pathname;
  } catch {
    throw badRequest('the request has no valid path');
  }
}
