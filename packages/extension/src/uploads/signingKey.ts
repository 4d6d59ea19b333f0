import { randomBytes } from 'node:crypto';
import { Secret } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Client } from '@vireo/kube';

/** Holds the key: it outlives this process, and every replica of the extension has the same. */
export const SIGNING_KEY = 'upload-token-signing-key';

const FIELD = 'key';
const KEY_BYTES = 32;

/** The key that tokens for uploads are signed with; the first who needs it makes it. */
export async function signingKey(client: Client): Promise<Buffer> {
  const secrets = client.of(Secret);
  const at = { namespace: KUBEVIRT_NAMESPACE };
  const existing = await secrets.find(SIGNING_KEY, at);
  if (existing) return keyIn(existing);
  const metadata = { name: SIGNING_KEY, ...at, labels: { 'kubevirt.io': '' } };
  const data = { [FIELD]: randomBytes(KEY_BYTES).toString('base64') };
  return keyIn((await secrets.createOrGet({ metadata, type: 'Opaque', data })).object);
}

function keyIn({ data = {} }: Secret): Buffer {
  const key = Buffer.from(data[FIELD] ?? '', 'base64');
  if (key.length >= KEY_BYTES) return key;
  throw new Error(
    `Secret ${KUBEVIRT_NAMESPACE}/${SIGNING_KEY}: data.${FIELD} has ${key.length} bytes instead of ${KEY_BYTES}; delete the Secret to get a new key`,
  );
}
