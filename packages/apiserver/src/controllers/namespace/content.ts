import { isReason, type Kind, type UnknownObject } from '@vireo/api';
import { type Client, ignoreNotFound, resourceName } from '@vireo/kube';

/** What is left of one resource in a namespace after its deletion was asked for. */
export interface RemainingContent {
  /** `group` is empty for the core group. */
  readonly kind: Pick<Kind, 'group' | 'plural'>;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The deletion itself failed. */
  readonly error?: string;
}

/** Deletes every object of the kind in the namespace and says what stays for the time being. */
export async function deleteContent(client: Client, kind: Kind, namespace: string): Promise<RemainingContent> {
  const objects = client.of<UnknownObject>(kind as Kind<UnknownObject>);
  let error: string | undefined;
  try {
    const listed = await objects.list({ namespace });
    if (listed.items.length === 0) return remainingContent(kind, []);
    if (kind.verbs.includes('deletecollection'))
      await objects.deleteCollection({ namespace, propagationPolicy: 'Background' });
    else
      for (const { metadata } of listed.items)
        await objects.delete(metadata.name, { namespace, propagationPolicy: 'Background' }).catch(ignoreNotFound);
  } catch (failure) {
    // A kind that is no longer served has nothing left that anybody could see.
    if (isReason(failure, 'NotFound', 'MethodNotAllowed')) return remainingContent(kind, []);
    error = `${resourceName({ ...kind })}: ${failure instanceof Error ? failure.message : String(failure)}`;
  }
  const { items } = await objects.list({ namespace });
  return remainingContent(kind, items, error);
}

function remainingContent(kind: Kind, items: readonly UnknownObject[], error?: string): RemainingContent {
  const finalizers = new Map<string, number>();
  for (const { metadata } of items)
    for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  return { kind, count: items.length, finalizers, ...(error !== undefined && { error }) };
}
