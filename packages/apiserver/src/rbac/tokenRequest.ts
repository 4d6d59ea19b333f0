import {
  type BoundObjectReference,
  badRequest,
  conflict,
  field,
  invalid,
  notFound,
  type Persisted,
  type TokenRequest,
  timestamp,
} from '@vireo/api';
import type { BoundObject } from '../auth/claims.ts';
import type { Lookup } from '../auth/lookup.ts';
import type { Tokens } from '../auth/tokens.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 48 * 3600;

export interface TokenRequestContext {
  readonly tokens: Tokens;
  readonly lookup: Lookup;
  /** Texts for `Warning:` headers. */
  readonly warn: (text: string) => void;
}

/** Answers `POST …/serviceaccounts/NAME/token`: the request with a fresh token in its status. */
export function tokenRequest(
  serviceAccount: Persisted,
  request: TokenRequest,
  context: TokenRequestContext,
): TokenRequest {
  const { name, namespace = '', uid } = serviceAccount.metadata;
  checkName(request, namespace, name);
  const expirationSeconds = lifetime(request, context.warn);
  const boundRef = request.spec?.boundObjectRef;
  const boundObject = boundRef && resolve(boundRef, namespace, name, context.lookup);
  const audiences = request.spec?.audiences?.length ? request.spec.audiences : [...context.tokens.audiences];
  const { token, expiresAt } = context.tokens.issue({
    serviceAccount: { namespace, name, uid },
    audiences,
    expirationSeconds,
    ...(boundObject && { boundObject }),
  });
  const issuedAt = new Date(expiresAt.getTime() - expirationSeconds * 1000);
  return {
    ...request,
    metadata: { ...request.metadata, name, namespace, creationTimestamp: timestamp(issuedAt) },
    spec: { ...request.spec, audiences, expirationSeconds },
    status: { token, expirationTimestamp: timestamp(expiresAt) },
  };
}

function checkName({ metadata }: TokenRequest, namespace: string, name: string): void {
  if (metadata?.name && metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  if (metadata?.namespace && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function lifetime({ spec }: TokenRequest, warn: (text: string) => void): number {
  const seconds = spec?.expirationSeconds ?? DEFAULT_SECONDS;
  const path = 'spec.expirationSeconds';
  const refuse = (detail: string) =>
    invalid('authentication.k8s.io', 'TokenRequest', '', [field.invalid(path, seconds, detail)]);
  if (seconds < MIN_SECONDS) throw refuse('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) throw refuse('may not specify a duration larger than 2^32 seconds');
  if (seconds <= MAX_SECONDS) return seconds;
  warn(`requested expiration of ${seconds} seconds shortened to ${MAX_SECONDS} seconds`);
  return MAX_SECONDS;
}

/** The object that the token shall depend on, as it is now. */
function resolve(ref: BoundObjectReference, namespace: string, account: string, lookup: Lookup): BoundObject {
  const { apiVersion = '', kind, name = '' } = ref;
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind ?? ''}`);
  }
  if (kind === 'Node') return { kind, ...identity(ref, 'nodes', lookup.node(name)) };
  if (kind === 'Secret') return { kind, ...identity(ref, 'secrets', lookup.secret(namespace, name)) };
  const pod = lookup.pod(namespace, name);
  const found = identity(ref, 'pods', pod);
  if (pod?.spec?.serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  const nodeName = pod.spec.nodeName;
  const nodeUid = nodeName ? lookup.node(nodeName)?.metadata.uid : undefined;
  return { kind, ...found, ...(nodeName && { node: { name: nodeName, ...(nodeUid && { uid: nodeUid }) } }) };
}

function identity({ name = '', uid }: BoundObjectReference, resource: string, found: Persisted | undefined) {
  if (!found) throw notFound({ group: '', resource }, name);
  const actual = found.metadata.uid;
  if (uid && uid !== actual)
    throw conflict(
      { group: '', resource },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { name, uid: actual };
}
