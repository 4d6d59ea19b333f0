import type { CrossVersionObjectReference, Kind, Scale } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { findKind, groupOf, type ServedKinds } from '../servedKinds.ts';

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
