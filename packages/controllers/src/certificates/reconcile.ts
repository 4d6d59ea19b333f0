import { CertificateSigningRequest, Node, type Persisted, Secret, Service } from '@vireo/api';
import { TOKEN_NODE_ANNOTATION, TOKEN_SECRET_PREFIX, TOKEN_USER_PREFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import type { Client } from '@vireo/kube';
import { parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { decide, isJoiningHost, type Subject, type Surroundings, subjectOf } from './decide.ts';
import { otherRequesterOf, type ReadRequest } from './joining.ts';
import { isVireoNode } from './serving.ts';

/** What the controller works with. */
export interface CertificateContext {
  readonly client: Client;
  /** VMs that are on a node, as NAMESPACE/NAME. */
  vmisOn(node: string): readonly string[];
}

/** Decides on a request that nobody has decided on. One that waits is looked at again when its Node changes. */
export async function reconcileRequest(
  request: Persisted<CertificateSigningRequest>,
  context: CertificateContext,
): Promise<void> {
  if (isDecided(request)) return;
  const read = readRequest(request);
  const subject = read && subjectOf(request.spec, read.parsed);
  if (!subject) return;
  const decision = decide(request.spec, read.parsed, await surroundingsOf(read, subject, context));
  if (!decision || 'wait' in decision) return;
  const condition =
    'approve' in decision
      ? { type: 'Approved', reason: 'VireoApproved', message: decision.approve }
      : { type: 'Denied', reason: 'VireoDenied', message: decision.deny };
  const conditions = [...(request.status?.conditions ?? []), { ...condition, status: 'True' }];
  await context.client
    .of(CertificateSigningRequest)
    .patchIfUnchanged(request, { status: { conditions } }, { subresource: 'approval' });
}

/** Whether nothing more is to be decided on a request. */
export const isDecided = ({ status }: CertificateSigningRequest): boolean =>
  Boolean(status?.certificate) ||
  (status?.conditions ?? []).some(({ type }) => ['Approved', 'Denied', 'Failed'].includes(type));

/** A request with what it asks for; undefined where that cannot be read, for then none of ours has sent it. */
export function readRequest(request: Persisted<CertificateSigningRequest>): ReadRequest | undefined {
  try {
    return { request, parsed: parseCertificateRequest(request.spec.request) };
  } catch {
    return undefined;
  }
}

/** Not from a cache: whether a name is free must be true now. */
async function surroundingsOf(read: ReadRequest, subject: Subject, context: CertificateContext): Promise<Surroundings> {
  const { client } = context;
  const { spec } = read.request;
  if (subject.kind === 'extension') return { node: undefined };
  const node = await client.of(Node).find(subject.node);
  if (subject.kind === 'serving') {
    if (!isVireoNode(node)) return { node };
    const [nodes, services] = await Promise.all([client.of(Node).list(), client.of(Service).list()]);
    return { node, nodes: nodes.items, services: services.items };
  }
  if (!isJoiningHost(spec)) return { node };
  return {
    node,
    ...(await tokenOf(spec.username ?? '', client)),
    otherRequester: otherRequesterOf(read, await clientRequestsOf(subject.node, client)),
    vmis: context.vmisOn(subject.node),
  };
}

/** All requests for either identity of a node. */
async function clientRequestsOf(node: string, client: Client): Promise<ReadRequest[]> {
  const { items } = await client.of(CertificateSigningRequest).list();
  return items.flatMap((request) => {
    const read = readRequest(request);
    const subject = read && subjectOf(request.spec, read.parsed);
    return read && (subject?.kind === 'kubelet' || subject?.kind === 'node') && subject.node === node ? [read] : [];
  });
}

/** What is known of a bootstrap token: whether it is gone, and the node that it is for, where it is for one. */
async function tokenOf(username: string, client: Client): Promise<Pick<Surroundings, 'isTokenGone' | 'tokenNode'>> {
  const name = `${TOKEN_SECRET_PREFIX}${username.slice(TOKEN_USER_PREFIX.length)}`;
  const secret = await client.of(Secret).find(name, { namespace: 'kube-system' });
  if (!secret) return { isTokenGone: true };
  return { tokenNode: secret.metadata.annotations?.[TOKEN_NODE_ANNOTATION] };
}
