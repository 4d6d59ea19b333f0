import type { Claims } from './jwt.ts';
import { serviceAccountUsername } from './serviceAccount.ts';

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface Ref {
  readonly name: string;
  readonly uid: string;
}

/** The object that a token lives and dies with. A pod's token also says which node the pod is on. */
export type BoundObject =
  | {
      readonly kind: 'Pod';
      readonly name: string;
      readonly uid: string;
      readonly node?: { name: string; uid?: string };
    }
  | { readonly kind: 'Secret' | 'Node'; readonly name: string; readonly uid: string };

/** The claims of a genuine token, in our words. */
export interface TokenClaims {
  readonly serviceAccount: ServiceAccountRef;
  readonly pod?: Ref;
  readonly secret?: Ref;
  /** Bound to the node itself when there is no pod; else the node that the pod is on. */
  readonly node?: { readonly name: string; readonly uid?: string };
  /** A Secret of the old kind that must still hold this very token. */
  readonly legacySecret?: string;
  readonly id?: string;
  readonly audiences?: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  readonly notBefore?: number;
}

const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const LEGACY_PREFIX = 'kubernetes.io/serviceaccount';

interface BoundRequest {
  readonly serviceAccount: ServiceAccountRef;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expirationSeconds: number;
  readonly id: string;
  readonly boundObject?: BoundObject;
}

const subjectOf = ({ namespace, name }: ServiceAccountRef): string => serviceAccountUsername(namespace, name);

/** The claims of a bound token, as Kubernetes writes them. */
export function boundClaims(request: BoundRequest): Claims {
  const { serviceAccount, boundObject: bound, issuedAt } = request;
  const ref = bound && { name: bound.name, uid: bound.uid };
  return {
    aud: request.audiences,
    exp: issuedAt + request.expirationSeconds,
    iat: issuedAt,
    iss: request.issuer,
    jti: request.id,
    'kubernetes.io': {
      namespace: serviceAccount.namespace,
      ...(bound?.kind === 'Node' && { node: ref }),
      ...(bound?.kind === 'Pod' && bound.node && { node: bound.node }),
      ...(bound?.kind === 'Pod' && { pod: ref }),
      ...(bound?.kind === 'Secret' && { secret: ref }),
      serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
    },
    nbf: issuedAt,
    sub: subjectOf(serviceAccount),
  };
}

/** The claims of a token that is kept in a Secret. */
export const legacyClaims = (serviceAccount: ServiceAccountRef, secretName: string): Claims => ({
  iss: LEGACY_ISSUER,
  [`${LEGACY_PREFIX}/namespace`]: serviceAccount.namespace,
  [`${LEGACY_PREFIX}/secret.name`]: secretName,
  [`${LEGACY_PREFIX}/service-account.name`]: serviceAccount.name,
  [`${LEGACY_PREFIX}/service-account.uid`]: serviceAccount.uid,
  sub: subjectOf(serviceAccount),
});

/** Reads signed claims; a string says what is wrong with them. */
export function parseClaims(claims: Claims, issuer: string): TokenClaims | string {
  const parsed =
    claims.iss === issuer ? parseBound(claims) : claims.iss === LEGACY_ISSUER ? parseLegacy(claims) : undefined;
  if (!parsed) return `the token's issuer ${JSON.stringify(claims.iss)} or its claims are not this server's`;
  if (claims.sub !== subjectOf(parsed.serviceAccount))
    return `the token's subject ${JSON.stringify(claims.sub)} is not ${subjectOf(parsed.serviceAccount)}`;
  return parsed;
}

function parseBound(claims: Claims): TokenClaims | undefined {
  const bound = record(claims['kubernetes.io']);
  const account = ref(bound?.serviceaccount);
  const namespace = text(bound?.namespace);
  const audiences = Array.isArray(claims.aud) ? claims.aud.filter((entry) => typeof entry === 'string') : [claims.aud];
  if (!account || !namespace || typeof claims.exp !== 'number' || typeof audiences[0] !== 'string') return undefined;
  const node = record(bound?.node);
  const nodeName = text(node?.name);
  const [pod, secret] = [ref(bound?.pod), ref(bound?.secret)];
  return {
    serviceAccount: { namespace, ...account },
    audiences: audiences as string[],
    expiresAt: claims.exp,
    ...(typeof claims.nbf === 'number' && { notBefore: claims.nbf }),
    ...(typeof claims.jti === 'string' && { id: claims.jti }),
    ...(pod && { pod }),
    ...(secret && { secret }),
    ...(nodeName && { node: { name: nodeName, ...(text(node?.uid) && { uid: text(node?.uid) }) } }),
  };
}

function parseLegacy(claims: Claims): TokenClaims | undefined {
  const get = (key: string): string | undefined => text(claims[`${LEGACY_PREFIX}/${key}`]);
  const [namespace, name, uid] = [get('namespace'), get('service-account.name'), get('service-account.uid')];
  const legacySecret = get('secret.name');
  if (!namespace || !name || !uid || !legacySecret) return undefined;
  return { serviceAccount: { namespace, name, uid }, legacySecret };
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function ref(value: unknown): Ref | undefined {
  const fields = record(value);
  const [name, uid] = [text(fields?.name), text(fields?.uid)];
  return name && uid ? { name, uid } : undefined;
}
