import type { CrossVersionObjectReference, Kind, Scale } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { ServedKinds } from '../servedKinds.ts';

/** The kind that a reference means, in the version that is served. */
export function findKind(
  served: ServedKinds,
  { apiVersion = '', kind }: CrossVersionObjectReference,
): Kind | undefined {
  const group = groupOf(apiVersion);
  return [...served.list()].find((each) => each.kind === kind && each.group === group);
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The scale of what a reference means. Throws in Kubernetes' words. */
export async function getScale(
  client: Client,
  served: ServedKinds,
  reference: CrossVersionObjectReference,
  namespace: string,
): Promise<{ kind: Kind; scale: Scale }> {
  const { apiVersion = '', kind: name } = reference;
  if (apiVersion.split('/').length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const kind = findKind(served, reference);
  if (!kind) throw new Error(`no matches for kind "${name}" in group "${groupOf(apiVersion)}"`);
  return { kind, scale: await client.of(kind).getScale(reference.name, { namespace }) };
}
