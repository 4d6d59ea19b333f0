import { createHash, timingSafeEqual } from 'node:crypto';
import { type Persisted, Secret } from '@vireo/api';
import { TOKEN_HEADER, TOKEN_KEY } from '@vireo/api/kinds/export/names.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { Client } from '@vireo/kube';
import { ExportRefusal } from './refusal.ts';

/** An export that somebody has the password of. */
export interface OpenedExport {
  readonly exported: Persisted<VirtualMachineExport>;
  readonly token: string;
}

/** The export of that name, for whoever has its password. Others do not learn whether it exists. */
export async function openExport(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  given: string | undefined,
): Promise<OpenedExport> {
  if (!given) throw new ExportRefusal(401, `the request has no password; set the header ${TOKEN_HEADER}`);
  const at = { namespace };
  const exported = await client.of(VirtualMachineExport).find(name, at);
  const secretName = exported?.status?.tokenSecretRef;
  const secret = secretName ? await client.of(Secret).find(secretName, at) : undefined;
  const token = Buffer.from(secret?.data?.[TOKEN_KEY] ?? '', 'base64').toString('utf8');
  if (!exported || token === '' || !isSame(given, token))
    throw new ExportRefusal(
      401,
      `there is no VirtualMachineExport ${namespace}/${name} with that password: it is the value of "${TOKEN_KEY}" in the Secret that status.tokenSecretRef names`,
    );
  return { exported, token };
}

/** Compared in a time that does not depend on how much of it is right. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
