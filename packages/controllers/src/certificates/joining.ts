import type { CertificateSigningRequest, Node, Persisted } from '@vireo/api';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';

/** A request that can be read. */
export interface ReadRequest {
  readonly request: Persisted<CertificateSigningRequest>;
  readonly parsed: ParsedRequest;
}

/** What the first certificates of a node depend on. */
export interface JoiningSurroundings {
  /** The Node whose name is asked for. */
  readonly node: Pick<Node, 'status'> | undefined;
  /** The one node that the requester's bootstrap token is for, where it is for one. */
  readonly tokenNode?: string | undefined;
  /** Whether the token of the requester is no longer there: nobody can tell which node it was for. */
  readonly isTokenGone?: boolean;
  /** Who else was given the same name, for another key. */
  readonly otherRequester?: string | undefined;
  /** VMs that are on a node of that name, as far as anybody knows. */
  readonly vmis?: readonly string[];
}

/** Why whoever joins may not have the name: it is somebody's. */
export function joiningProblem(
  name: string,
  username: string,
  { node, tokenNode, isTokenGone, otherRequester, vmis = [] }: JoiningSurroundings,
): string | undefined {
  const withOwnToken = `join with a token from \`vireo token create --node ${name}\``;
  if (isTokenGone) return 'the bootstrap token no longer exists: create another one with `vireo token create`';
  if (tokenNode !== undefined) {
    if (tokenNode !== name) return `the bootstrap token is for node ${tokenNode}, not for ${name}`;
    return otherRequester === username
      ? `another host has joined as node ${name} with this bootstrap token. If this host is that node, ${withOwnToken}`
      : undefined;
  }
  if (node)
    return (
      `a node ${name} is there already. If this host is that node, ${withOwnToken}. If that node is gone for good, ` +
      `delete it: \`vireo node delete ${name}\`. Otherwise join under another name: \`--node-name NAME\``
    );
  if (otherRequester !== undefined)
    return (
      `another host is joining as node ${name}. Join under another name (\`--node-name NAME\`). If the other host is ` +
      `not to have the name, or this host has lost the files of its home since, ${withOwnToken}`
    );
  if (vmis.length > 0)
    return (
      `the Node ${name} was deleted, but VMs may still run there: ${listed(vmis)}. If this host is that node, ` +
      `${withOwnToken}. If that host is powered off: \`vireo node fence ${name}\``
    );
  return undefined;
}

const MAX_NAMES = 5;
const listed = (names: readonly string[]): string =>
  [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [])].join(', ');

/**
 * Who was given the name of a node for another key, of either identity: another host, for a host joins with one key and
 * keeps it until it has both certificates. The requester's own token first. Requests are kept for an hour; one that the
 * signer has refused gave the name to nobody.
 */
export function otherRequesterOf(
  { request, parsed }: ReadRequest,
  sameNode: readonly ReadRequest[],
): string | undefined {
  const others = sameNode
    .filter((other) => isGranted(other.request) && !other.parsed.publicKey.equals(parsed.publicKey))
    .map((other) => other.request.spec.username ?? '');
  return others.find((username) => username === request.spec.username) ?? others[0];
}

const isGranted = ({ status }: CertificateSigningRequest): boolean => {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  return types.includes('Approved') && !types.includes('Failed');
};
