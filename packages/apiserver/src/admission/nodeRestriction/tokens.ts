import { notFound, type Pod, type TokenRequest, type UnknownObject } from '@vireo/api';
import type { Lookup } from '../../strategies/strategy.ts';
import type { NodeRequest, Nodes } from './nodeRestriction.ts';

/** Why a node may not have this token of a service account: it is not for one of its pods, or for somebody else. */
export function tokenProblem(request: NodeRequest, nodeName: string, nodes: Nodes): string | undefined {
  const { spec } = request.object as unknown as TokenRequest;
  const { apiVersion, kind, name, uid } = spec?.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || !name) return 'node requested token not bound to a pod';
  if (!uid) return 'node requested token with a pod binding without a uid';
  const pod = nodes.lookup.get('', 'pods', request.namespace, name) as unknown as Pod | undefined;
  if (!pod) throw notFound({ group: '', resource: 'pods' }, name);
  if (uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec?.nodeName !== nodeName) return 'node requested token bound to a pod scheduled on a different node';
  return audienceProblem(request, spec?.audiences ?? [], pod, nodes);
}

function audienceProblem(
  { user, namespace, name }: NodeRequest,
  audiences: readonly string[],
  pod: Pod,
  { lookup, authorizer }: Nodes,
): string | undefined {
  const [audience = '', ...more] = audiences;
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  if (audience === '' || audiencesOf(pod, lookup).has(audience)) return undefined;
  const verb = 'request-serviceaccounts-token-audience';
  if (authorizer.authorize({ user, verb, group: '', resource: audience, name, namespace }).allowed) return undefined;
  return `audience "${audience}" not found in pod spec volume, ${user.username} is not authorized to request tokens for this audience`;
}

/** The audiences of a pod's projected tokens and of those that its CSI drivers ask for. */
function audiencesOf({ metadata, spec }: Pod, lookup: Pick<Lookup, 'get'>): Set<string> {
  const found = new Set<string>();
  for (const volume of spec?.volumes ?? []) {
    for (const { serviceAccountToken } of volume.projected?.sources ?? [])
      if (serviceAccountToken?.audience) found.add(serviceAccountToken.audience);
    const claimName =
      volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${metadata.name}-${volume.name}` : undefined);
    const driver = volume.csi?.driver ?? (claimName && driverOfClaim(metadata.namespace, claimName, lookup));
    for (const audience of driver ? audiencesOfDriver(driver, lookup) : []) found.add(audience);
  }
  return found;
}

const specOf = <T>(object: UnknownObject | undefined): T | undefined => object?.spec as T | undefined;

function driverOfClaim(namespace: string | undefined, name: string, lookup: Pick<Lookup, 'get'>): string | undefined {
  const claim = specOf<{ volumeName?: string }>(lookup.get('', 'persistentvolumeclaims', namespace, name));
  if (!claim?.volumeName) return undefined;
  return specOf<{ csi?: { driver?: string } }>(lookup.get('', 'persistentvolumes', undefined, claim.volumeName))?.csi
    ?.driver;
}

const audiencesOfDriver = (driver: string, lookup: Pick<Lookup, 'get'>): string[] =>
  (
    specOf<{ tokenRequests?: { audience?: string }[] }>(lookup.get('storage.k8s.io', 'csidrivers', undefined, driver))
      ?.tokenRequests ?? []
  ).flatMap(({ audience }) => (audience ? [audience] : []));
