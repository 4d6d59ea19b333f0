import type { Kind, KubeObject, Persisted } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';

/** All objects of a kind; none where the server does not know the kind. */
export async function listIfServed<T extends KubeObject>(client: Client, kind: Kind<T>): Promise<Persisted<T>[]> {
  const list = await client.of(kind).list().catch(ignoreNotFound);
  return list?.items ?? [];
}
