import { CertificateSigningRequest, Node, type Persisted, Secret } from '@vireo/api';
import { TOKEN_NODE_ANNOTATION, TOKEN_SECRET_PREFIX, TOKEN_USER_PREFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import type { Client, Result } from '@vireo/kube';
import { type ParsedRequest, parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { decide, type Surroundings, subjectOf } from './decide.ts';

/** What the controller works with. */
export interface CertificateContext {
  readonly client: Client;
  /** All requests for a name. */
  requestsFor(commonName: string): readonly Persisted<CertificateSigningRequest>[];
}

/** How long until a request is looked at again that waits for its Node. */
const LOOK_AGAIN_MS = 2000;

/** Decides on a request that nobody has decided on. */
export async function reconcileRequest(
  request: Persisted<CertificateSigningRequest>,
  context: CertificateContext,
): Promise<Result | undefined> {
  const { spec } = request;
  if (isDecided(request)) return undefined;
  const parsed = readRequest(request);
  const subject = parsed && subjectOf(spec, parsed);
  if (!subject) return undefined;
  const decision = decide(spec, parsed, {
    // Not from a cache: whether a name is free must be true now.
    node: 'node' in subject ? await context.client.of(Node).find(subject.node) : undefined,
    ...(await tokenOf(spec.username ?? '', context.client)),
    otherRequester: otherTokenOf(request, context.requestsFor(parsed.commonName)),
  });
  if (!decision) return undefined;
  if ('wait' in decision) return { requeueAfterMs: LOOK_AGAIN_MS };
  const condition =
    'approve' in decision
      ? { type: 'Approved', reason: 'VireoApproved', message: decision.approve }
      : { type: 'Denied', reason: 'VireoDenied', message: decision.deny };
  const conditions = [...(request.status?.conditions ?? []), { ...condition, status: 'True' }];
  await context.client
    .of(CertificateSigningRequest)
    .patchIfUnchanged(request, { status: { conditions } }, { subresource: 'approval' });
  return undefined;
}

const isDecided = ({ status }: CertificateSigningRequest): boolean =>
  Boolean(status?.certificate) ||
  (status?.conditions ?? []).some(({ type }) => ['Approved', 'Denied', 'Failed'].includes(type));

function readRequest({ spec }: CertificateSigningRequest): ParsedRequest | undefined {
  try {
    return parseCertificateRequest(spec.request);
  } catch {
    // Nothing that one of ours has sent.
    return undefined;
  }
}

/** What is known of a bootstrap token: whether it is gone, and the node that it is for, where it is for one. */
async function tokenOf(username: string, client: Client): Promise<Pick<Surroundings, 'isTokenGone' | 'tokenNode'>> {
  if (!username.startsWith(TOKEN_USER_PREFIX)) return {};
  const name = `${TOKEN_SECRET_PREFIX}${username.slice(TOKEN_USER_PREFIX.length)}`;
  const secret = await client.of(Secret).find(name, { namespace: 'kube-system' });
  if (!secret) return { isTokenGone: true };
  return { tokenNode: secret.metadata.annotations?.[TOKEN_NODE_ANNOTATION] };
}

/**
 * A token by which the same name was approved before; requests are kept for an hour. One that the signer then refused has
 * given the name to nobody.
 */
export function otherTokenOf(
  request: Persisted<CertificateSigningRequest>,
  all: readonly Persisted<CertificateSigningRequest>[],
): string | undefined {
  const has = ({ status }: CertificateSigningRequest, wanted: string): boolean =>
    (status?.conditions ?? []).some(({ type }) => type === wanted);
  return all.find(
    (other) =>
      other.metadata.uid !== request.metadata.uid &&
      other.spec.username?.startsWith(TOKEN_USER_PREFIX) &&
      other.spec.username !== request.spec.username &&
      has(other, 'Approved') &&
      !has(other, 'Failed'),
  )?.spec.username;
}
