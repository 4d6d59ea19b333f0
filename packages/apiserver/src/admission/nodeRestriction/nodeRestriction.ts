import type { CertificateSigningRequest } from '@vireo/api';
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from '@vireo/kube/certificates/signers.ts';
import { nodeNameOf } from '../../nodeAuth/identity.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import { differences, sameValue } from '../../strategies/immutable.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { parsedOrRefused } from '../certificates.ts';
import { refuse } from '../refuse.ts';
import { nodeProblem } from './nodes.ts';
import { podProblem } from './pods.ts';
import { tokenProblem } from './tokens.ts';

/** A write of a node, as far as it is looked at. */
export interface NodeRequest
  extends Pick<AdmissionRequest, 'operation' | 'kind' | 'name' | 'object' | 'oldObject' | 'user'> {
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
}

/** What nodes are judged by. */
export interface Nodes {
  readonly lookup: Pick<Lookup, 'get'>;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
}

/**
 * Restricts a node to what is its own, whatever roles its user has: its Node, Lease and CSINode, its pods, the status
 * of claims, tokens for its pods, and certificates for itself.
 */
export const nodeRestriction = (
  lookup: Pick<Lookup, 'get'>,
  authorizer: Pick<Authorizer, 'authorize'>,
): AdmissionPlugin => ({
  name: 'NodeRestriction',
  mutate: (request) => restrictNode(request, { lookup, authorizer }),
});

/** Throws 403 where the request comes from a node and is none of its business. */
function restrictNode(request: NodeRequest, nodes: Nodes): void {
  const nodeName = nodeNameOf(request.user);
  if (nodeName === undefined) return;
  const problem =
    nodeName === ''
      ? `could not determine node from user ${JSON.stringify(request.user.username)}`
      : problemOf(request, nodeName, nodes);
  if (problem !== undefined) throw refuse(request, problem);
}

function problemOf(request: NodeRequest, nodeName: string, nodes: Nodes): string | undefined {
  const { kind, subresource, operation } = request;
  switch (`${kind.group}/${kind.plural}`) {
    case '/pods':
      return podProblem(request, nodeName, nodes.lookup);
    case '/nodes':
      return nodeProblem(request, nodeName);
    case '/persistentvolumeclaims':
      return subresource === 'status' ? claimStatusProblem(request, nodeName) : 'may only update PVC status';
    case '/serviceaccounts':
      return subresource === 'token' && operation === 'CREATE' ? tokenProblem(request, nodeName, nodes) : undefined;
    case 'coordination.k8s.io/leases':
      return leaseProblem(request, nodeName);
    case 'storage.k8s.io/csinodes':
      return ownNameProblem(request, nodeName, 'CSINode');
    case 'resource.k8s.io/resourceslices':
      return sliceProblem(request, nodeName);
    case 'certificates.k8s.io/certificatesigningrequests':
      return certificateProblem(request, nodeName);
    default:
      return undefined;
  }
}

/** The name in the body counts where something is created. */
const nameOf = ({ name, object }: NodeRequest): string => name || object?.metadata.name || '';

const ownNameProblem = (request: NodeRequest, nodeName: string, what: string): string | undefined =>
  nameOf(request) === nodeName ? undefined : `can only access ${what} with the same name as the requesting node`;

const leaseProblem = (request: NodeRequest, nodeName: string): string | undefined =>
  request.namespace === 'kube-node-lease'
    ? ownNameProblem(request, nodeName, 'node lease')
    : 'can only access leases in the "kube-node-lease" system namespace';

/** Parts of a claim's status that a node finds out. */
const OWN_CLAIM_STATUS = ['allocatedResourceStatuses', 'allocatedResources', 'capacity', 'conditions'];

function claimStatusProblem({ operation, object, oldObject }: NodeRequest, nodeName: string): string | undefined {
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  const compared = (claim: NodeRequest['object']) => {
    const { resourceVersion: _r, managedFields: _m, ...metadata } = claim?.metadata ?? {};
    const status = Object.entries(claim?.status ?? {}).filter(([key]) => !OWN_CLAIM_STATUS.includes(key));
    return { ...claim, metadata, status: Object.fromEntries(status) };
  };
  const [now, before] = [compared(object), compared(oldObject)];
  if (sameValue(now, before)) return undefined;
  const changes = differences('', now, before).map((change) => change.replace(/^\./, ''));
  return `node "${nodeName}" is not allowed to update fields other than status.capacity and status.conditions: ${changes.join(', ')}`;
}

function sliceProblem(request: NodeRequest, nodeName: string): string | undefined {
  const nodeOf = (object: NodeRequest['object']): unknown => (object?.spec as { nodeName?: string })?.nodeName;
  const verb = request.operation === 'DELETE' ? 'delete' : 'create';
  const subject = request.operation === 'DELETE' ? request.oldObject : request.object;
  if (request.operation === 'UPDATE' || nodeOf(subject) === nodeName) return undefined;
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

function certificateProblem(request: NodeRequest, nodeName: string): string | undefined {
  if (request.operation !== 'CREATE') return undefined;
  const { spec } = request.object as unknown as CertificateSigningRequest;
  if (spec?.signerName !== KUBELET_CLIENT_SIGNER && spec?.signerName !== KUBELET_SERVING_SIGNER) return undefined;
  const wanted = `system:node:${nodeName}`;
  return parsedOrRefused(request, spec.request).commonName === wanted
    ? undefined
    : `can only create a node CSR with CN=${wanted}`;
}
