import type { CertificateSigningRequest } from '@vireo/api';
import {
  EXTENSION_ACCOUNT_USER,
  EXTENSION_GROUP,
  extensionUser,
  JOINING_GROUP,
  KUBELET_GROUP,
  kubeletUser,
  NODE_GROUP,
  nodeOfUser,
  nodeUser,
  TOKEN_USER_PREFIX,
} from '@vireo/api/kinds/kubevirt/identities.ts';
import { CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, signerProblem } from '@vireo/kube';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';
import { type JoiningSurroundings, joiningProblem } from './joining.ts';
import { decideServing, type ServingSurroundings } from './serving.ts';

/** What becomes of a request. */
export type Decision =
  | { readonly approve: string }
  | { readonly deny: string }
  /** It is ours, and may be approved when something changes. */
  | { readonly wait: string };

/** What a decision depends on besides the request. */
export type Surroundings = JoiningSurroundings & ServingSurroundings;

/** Whose certificate a request of ours asks for. */
export type Subject =
  | { readonly kind: 'kubelet' | 'node' | 'serving'; readonly node: string }
  | { readonly kind: 'extension'; readonly instance: string };

const KUBELET = kubeletUser('');
const EXTENSION = extensionUser('');
/** A DNS subdomain, as the name of a Node must be. */
const NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What a request is about; undefined where it is none of ours. */
export function subjectOf(
  { signerName }: Pick<CertificateSigningRequest['spec'], 'signerName'>,
  { commonName }: Pick<ParsedRequest, 'commonName'>,
): Subject | undefined {
  if (signerName === KUBELET_CLIENT_SIGNER && commonName.startsWith(KUBELET))
    return { kind: 'kubelet', node: commonName.slice(KUBELET.length) };
  if (signerName === KUBELET_SERVING_SIGNER && commonName.startsWith(KUBELET))
    return { kind: 'serving', node: commonName.slice(KUBELET.length) };
  if (signerName !== CLIENT_SIGNER) return undefined;
  const node = nodeOfUser(commonName);
  if (node !== undefined) return { kind: 'node', node };
  return commonName.startsWith(EXTENSION)
    ? { kind: 'extension', instance: commonName.slice(EXTENSION.length) }
    : undefined;
}

/**
 * What becomes of a request. Undefined: it is somebody else's affair. Requests in our names are denied only where whoever
 * asks is one of ours and can never have this.
 */
export function decide(
  spec: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  around: Surroundings,
): Decision | undefined {
  const subject = subjectOf(spec, parsed);
  if (!subject) return undefined;
  switch (subject.kind) {
    case 'extension':
      return decideExtension(spec, parsed, subject.instance);
    case 'serving':
      return isKubelet(spec, subject.node) ? decideServing(spec, parsed, subject.node, around) : undefined;
    default:
      return decideNode(spec, parsed, subject, around);
  }
}

function decideExtension(
  spec: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  instance: string,
): Decision | undefined {
  const isOwn = spec.username === extensionUser(instance) && hasGroup(spec, EXTENSION_GROUP);
  if (spec.username !== EXTENSION_ACCOUNT_USER && !isOwn) return undefined;
  const problem = nameProblem(instance) ?? clientProblem(spec, parsed, EXTENSION_GROUP);
  return problem ? { deny: problem } : { approve: `an instance of the extension asks for its certificate` };
}

/** For both identities of a node: by a token of those that join, or by the node itself. */
function decideNode(
  spec: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  { kind, node }: { readonly kind: 'kubelet' | 'node' | 'serving'; readonly node: string },
  around: Surroundings,
): Decision | undefined {
  // The renewal of a kubelet's certificate is approved by Kubernetes itself. A kubelet gets no certificate of the other
  // kind: on a cluster there are kubelets that have nothing to do with VMs.
  const isItself = kind === 'node' && spec.username === nodeUser(node) && hasGroup(spec, NODE_GROUP);
  const isJoining = isJoiningHost(spec);
  if (!isJoining && !isItself) return undefined;
  const problem =
    nameProblem(node) ??
    (kind === 'kubelet'
      ? signerProblem(spec.signerName, parsed, spec.usages ?? [])
      : clientProblem(spec, parsed, NODE_GROUP)) ??
    (isJoining ? joiningProblem(node, spec.username ?? '', around) : undefined);
  if (problem) return { deny: problem };
  return { approve: isJoining ? `the host joins as node ${node}` : `the node ${node} asks for its certificate` };
}

/** A client's certificate has one group, no other name, and is for nothing else. */
function clientProblem(
  { signerName, usages = [] }: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  group: string,
): string | undefined {
  const { organizations, otherNames, dnsNames, ipAddresses, emailAddresses, uris } = parsed;
  if (organizations.length !== 1 || organizations[0] !== group) return `subject organization is not ${group}`;
  if (otherNames.length > 0) return 'the subject has more than a name and an organization';
  if ([dnsNames, ipAddresses, emailAddresses, uris].some((names) => names.length > 0))
    return 'subjectAltNames are not allowed';
  return signerProblem(signerName, parsed, usages);
}

/** Whether a host asks that joins, by its bootstrap token. */
export const isJoiningHost = (spec: CertificateSigningRequest['spec']): boolean =>
  (spec.username ?? '').startsWith(TOKEN_USER_PREFIX) && hasGroup(spec, JOINING_GROUP);

const nameProblem = (name: string): string | undefined =>
  NAME.test(name) ? undefined : `${JSON.stringify(name)} is not a name of a node or an instance`;

/** Whether a node asks for itself. */
const isKubelet = (spec: CertificateSigningRequest['spec'], node: string): boolean =>
  spec.username === kubeletUser(node) && hasGroup(spec, KUBELET_GROUP);

const hasGroup = ({ groups }: CertificateSigningRequest['spec'], group: string): boolean =>
  groups?.includes(group) ?? false;
