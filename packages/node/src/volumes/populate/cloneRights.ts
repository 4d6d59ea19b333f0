import { controllerOf, type PersistentVolumeClaim } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { Client } from '@vireo/kube';

/**
 * Whether a claim may have the data of something in another namespace. Its annotations say only what is wanted; that
 * somebody with the right to it asked, the DataVolume proves, for admission checked whoever wrote that.
 */
export async function mayReadFrom(
  client: Client,
  claim: PersistentVolumeClaim,
  kind: 'pvc' | 'snapshot',
  source: string,
): Promise<boolean> {
  const { namespace } = claim.metadata;
  if (source.startsWith(`${namespace}/`)) return true;
  const owner = controllerOf(claim);
  if (owner?.kind !== DataVolume.kind || !owner.apiVersion.startsWith(`${DataVolume.group}/`)) return false;
  const dataVolume = await client.of(DataVolume).find(owner.name, { namespace });
  if (dataVolume?.metadata.uid !== owner.uid) return false;
  const { sourceRef } = dataVolume.spec;
  const { spec } = sourceRef
    ? ((await client.of(DataSource).find(sourceRef.name, { namespace: sourceRef.namespace ?? namespace })) ?? {})
    : dataVolume;
  const found = spec?.source?.[kind];
  return found !== undefined && `${found.namespace}/${found.name}` === source;
}
