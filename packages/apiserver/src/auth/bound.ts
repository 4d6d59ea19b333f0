import type { KubeObject } from '@vireo/api';
import type { TokenClaims } from './claims.ts';
import type { Lookup } from './lookup.ts';

/** A pod that is being deleted may use its token a little longer, to say goodbye. */
const LEEWAY_MS = 60_000;

/** Why a genuine token is void all the same: an object it depends on is gone or is another one. Undefined: it is good. */
export function checkBoundObjects(
  claims: TokenClaims,
  token: string,
  lookup: Lookup,
  nowMs: number,
): string | undefined {
  const { serviceAccount, pod, secret, node, legacySecret } = claims;
  const { namespace, name, uid } = serviceAccount;
  const problem = (kind: string, wanted: { name: string; uid?: string }, found: KubeObject | undefined) => {
    const what = kind === 'node' ? `node "${wanted.name}"` : `${kind} "${wanted.name}" of namespace "${namespace}"`;
    if (!found) return `${what} does not exist`;
    if (wanted.uid && found.metadata.uid !== wanted.uid)
      return `${what} is not the one that the token was issued for: its uid is ${found.metadata.uid}`;
    const deletion = found.metadata.deletionTimestamp;
    return deletion && Date.parse(deletion) + LEEWAY_MS <= nowMs ? `${what} has been deleted` : undefined;
  };
  return (
    problem('serviceaccount', { name, uid }, lookup.serviceAccount(namespace, name)) ??
    (pod && problem('pod', pod, lookup.pod(namespace, pod.name))) ??
    (secret && problem('secret', secret, lookup.secret(namespace, secret.name))) ??
    // A pod's token only mentions its node; the pod goes with the node anyway.
    (node && !pod ? problem('node', node, lookup.node(node.name)) : undefined) ??
    (legacySecret ? checkLegacySecret(namespace, legacySecret, token, lookup) : undefined)
  );
}

/** Taking the token out of the Secret, or deleting the Secret, is how such a token is revoked. */
function checkLegacySecret(namespace: string, name: string, token: string, lookup: Lookup): string | undefined {
  const secret = lookup.secret(namespace, name);
  if (!secret || secret.metadata.deletionTimestamp)
    return `secret "${name}" of namespace "${namespace}" does not exist`;
  const held = Buffer.from(secret.data?.token ?? '', 'base64').toString('utf8');
  return held === token ? undefined : `secret "${name}" of namespace "${namespace}" contains another token`;
}
