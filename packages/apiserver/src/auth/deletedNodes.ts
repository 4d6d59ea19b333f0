import { deletedNodeRecord, kubeletUser, nodeOfUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import type { Lookup } from './lookup.ts';

const KUBELET = kubeletUser('');

/** Whether a client certificate that was issued then is that of a node that was deleted since. */
export function isOfDeletedNode(username: string, issuedAtMs: number, lookup: Pick<Lookup, 'configMap'>): boolean {
  const node = username.startsWith(KUBELET) ? username.slice(KUBELET.length) : nodeOfUser(username);
  if (node === undefined) return false;
  const { namespace, name } = deletedNodeRecord(node);
  const deletedAt = lookup.configMap(namespace, name)?.metadata.creationTimestamp;
  return deletedAt !== undefined && issuedAtMs < Date.parse(deletedAt);
}
