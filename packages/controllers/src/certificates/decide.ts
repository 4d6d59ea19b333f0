import type { CertificateSigningRequest, Node, NodeAddress } from '@vireo/api';
import {
  AGENT_VERSION_SUFFIX,
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
import { addressBytes } from '@vireo/kube/serving/certificate.ts';

/** What becomes of a request. */
export type Decision =
  | { readonly approve: string }
  | { readonly deny: string }
  /** It is ours, and may be approved when something changes. */
  | { readonly wait: string };

/** What a decision depends on besides the request. */
export interface Surroundings {
  /** The Node whose name is asked for. */
  readonly node: Pick<Node, 'status'> | undefined;
  /** The one node that the requester's bootstrap token is for, where it is for one. */
  readonly tokenNode?: string | undefined;
  /** Whether the token of the requester is no longer there: nobody can tell which node it was for. */
  readonly isTokenGone?: boolean;
  /** Who else has lately been given the same name, other than by the name itself. */
  readonly otherRequester?: string | undefined;
}

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
      return decideServing(spec, parsed, subject.node, around);
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
  const isJoining = (spec.username ?? '').startsWith(TOKEN_USER_PREFIX) && hasGroup(spec, JOINING_GROUP);
  // The renewal of a kubelet's certificate is approved by Kubernetes itself. A kubelet gets no certificate of the other
  // kind: on a cluster there are kubelets that have nothing to do with VMs.
  const isItself = kind === 'node' && spec.username === nodeUser(node) && hasGroup(spec, NODE_GROUP);
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

/** Whoever joins takes no name that somebody has. */
function joiningProblem(
  name: string,
  username: string,
  { node, tokenNode, isTokenGone, otherRequester }: Surroundings,
): string | undefined {
  if (isTokenGone) return 'the bootstrap token no longer exists: create another one with `vireo token create`';
  if (tokenNode !== undefined)
    return tokenNode === name ? undefined : `the bootstrap token is for node ${tokenNode}, not for ${name}`;
  if (node)
    return (
      `a node ${name} is there already. If this host is that node, join with a token from ` +
      `\`vireo token create --node ${name}\`. If that node is gone for good, delete it: \`kubectl delete node ${name}\`. ` +
      'Otherwise join under another name: `--node-name NAME`'
    );
  if (otherRequester !== undefined && otherRequester !== username)
    return (
      `another host is joining as node ${name}, with another token. Join under another name (\`--node-name NAME\`), ` +
      `or with a token from \`vireo token create --node ${name}\``
    );
  return undefined;
}

function decideServing(
  spec: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  name: string,
  { node }: Surroundings,
): Decision | undefined {
  if (!isKubelet(spec, name)) return undefined;
  // Kubelets of others have approvers of others, or none on purpose.
  if (!node?.status?.nodeInfo?.kubeletVersion?.endsWith(AGENT_VERSION_SUFFIX))
    return { wait: `no node ${name} of ours` };
  const problem = signerProblem(spec.signerName, parsed, spec.usages ?? []);
  if (problem) return { deny: problem };
  const foreign = foreignNames(parsed, node.status.addresses ?? []);
  // The Node may learn of the address in a moment.
  if (foreign.length > 0) return { wait: `${foreign.join(', ')} is no address of node ${name}` };
  return { approve: `the node ${name} asks for a certificate for its addresses` };
}

/** Names and addresses of a request that the Node does not have. */
function foreignNames({ dnsNames, ipAddresses }: ParsedRequest, addresses: readonly NodeAddress[]): string[] {
  const isIp = ({ type }: NodeAddress): boolean => type.endsWith('IP');
  const ips = new Set(addresses.filter(isIp).map(({ address }) => canonical(address)));
  const names = new Set(addresses.filter((each) => !isIp(each)).map(({ address }) => address));
  return [...dnsNames.filter((name) => !names.has(name)), ...ipAddresses.filter((ip) => !ips.has(canonical(ip)))];
}

const canonical = (ip: string): string => addressBytes(ip).toString('hex');

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

const nameProblem = (name: string): string | undefined =>
  NAME.test(name) ? undefined : `${JSON.stringify(name)} is not a name of a node or an instance`;

const isKubelet = (spec: CertificateSigningRequest['spec'], node: string): boolean =>
  spec.username === kubeletUser(node) && hasGroup(spec, KUBELET_GROUP);

const hasGroup = ({ groups }: CertificateSigningRequest['spec'], group: string): boolean =>
  groups?.includes(group) ?? false;
