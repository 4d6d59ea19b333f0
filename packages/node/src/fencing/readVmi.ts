import { isReason } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, parseKey } from '@vireo/kube';

/**
 * What the server itself says of a VMI, asked now: undefined where it knows no such VMI, or another of that name. A
 * server that does not know the kind, because it has only just started, has said nothing.
 */
export async function readVmi(client: Client, key: string, uid: string): Promise<Vmi | undefined> {
  const { name, namespace } = parseKey(key);
  try {
    const vmi = await client.of(Vmi).get(name, { namespace });
    return vmi.metadata.uid === uid ? vmi : undefined;
  } catch (error) {
    if (!isReason(error, 'NotFound') || error.status.details?.name !== name) throw error;
    return undefined;
  }
}
