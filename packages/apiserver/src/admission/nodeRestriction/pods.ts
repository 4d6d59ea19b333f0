import { notFound, type Pod } from '@vireo/api';
import { podReferences } from '../../nodeAuth/references.ts';
import { sameValue } from '../../strategies/immutable.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { NodeRequest } from './nodeRestriction.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** Why a node may not do this to a pod. */
export function podProblem(request: NodeRequest, nodeName: string, lookup: Pick<Lookup, 'get'>): string | undefined {
  const { operation, subresource = '' } = request;
  const quoted = `node "${nodeName}"`;
  if (subresource === 'status') return statusProblem(request, nodeName);
  if (subresource === 'eviction')
    return isOn(storedPod(request, lookup), nodeName)
      ? undefined
      : `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
  if (subresource !== '')
    return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  if (operation === 'CREATE') return mirrorProblem(request.object as unknown as Pod, nodeName, lookup);
  if (operation !== 'DELETE')
    return `unexpected operation "${operation}", ${quoted} can only create and delete mirror pods`;
  return isOn(storedPod(request, lookup), nodeName)
    ? undefined
    : `${quoted} can only delete pods with spec.nodeName set to itself`;
}

const isOn = (pod: Pod, nodeName: string): boolean => pod.spec?.nodeName === nodeName;

function storedPod({ namespace, name }: NodeRequest, lookup: Pick<Lookup, 'get'>): Pod {
  const pod = lookup.get('', 'pods', namespace, name);
  if (!pod) throw notFound({ group: '', resource: 'pods' }, name);
  return pod as unknown as Pod;
}

function statusProblem({ operation, object, oldObject }: NodeRequest, nodeName: string): string | undefined {
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  const [pod, old] = [object as unknown as Pod, oldObject as unknown as Pod];
  const quoted = `node "${nodeName}"`;
  if (!isOn(old, nodeName)) return `${quoted} can only update pod status for pods with spec.nodeName set to itself`;
  if (!sameValue(pod.metadata.labels, old.metadata.labels)) return `${quoted} cannot update labels through pod status`;
  if (!sameValue(pod.status?.resourceClaimStatuses, old.status?.resourceClaimStatuses))
    return `${quoted} cannot update resource claim statues`;
  return undefined;
}

/** A mirror pod shows what a node runs by itself: it is the node's own, and leads to no other object. */
function mirrorProblem(pod: Pod, nodeName: string, lookup: Pick<Lookup, 'get'>): string | undefined {
  const quoted = `node "${nodeName}"`;
  if (pod.metadata.annotations?.[MIRROR] === undefined)
    return `pod does not have "${MIRROR}" annotation, ${quoted} can only create mirror pods`;
  if (!isOn(pod, nodeName)) return `${quoted} can only create pods with spec.nodeName set to itself`;
  return ownerProblem(pod, nodeName, lookup) ?? referenceProblem(pod, quoted);
}

function ownerProblem(pod: Pod, nodeName: string, lookup: Pick<Lookup, 'get'>): string | undefined {
  const quoted = `node "${nodeName}"`;
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1) return `${quoted} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return `${quoted} can only create pods with an owner reference set to itself`;
  if (!owner.controller) return `${quoted} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${quoted} must not set blockOwnerDeletion on an owner reference`;
  const node = lookup.get('', 'nodes', undefined, nodeName);
  if (!node) throw notFound({ group: '', resource: 'nodes' }, nodeName);
  return owner.uid === node.metadata.uid
    ? undefined
    : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${node.metadata.uid}`;
}

function referenceProblem(pod: Pod, quoted: string): string | undefined {
  if (pod.spec?.serviceAccountName) return `${quoted} can not create pods that reference a service account`;
  const named = new Set(podReferences(pod).map((key) => key.split(' ')[0]));
  const bundles = pod.spec?.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle),
  );
  const kind =
    ['secrets', 'configmaps'].find((each) => named.has(each)) ??
    (bundles ? 'clustertrustbundles' : undefined) ??
    ['persistentvolumeclaims', 'resourceclaims'].find((each) => named.has(each));
  return kind && `${quoted} can not create pods that reference ${kind}`;
}
