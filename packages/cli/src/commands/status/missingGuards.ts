import { isReason, type KubeObject } from '@vireo/api';
import { kindOf } from '@vireo/controllers';
import { installObjects } from '@vireo/extension';
import type { Client } from '@vireo/kube';

/** Without these, VMs are not checked, or nodes are not kept to their own objects. */
const GUARDS = [
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
];

/** Which of them a server lacks, as `KIND NAME`. Kinds that it does not serve, or does not show this user, do not count. */
export async function findMissingGuards(client: Client): Promise<string[]> {
  const wanted = Map.groupBy(
    installObjects().filter(({ kind }) => GUARDS.includes(kind)),
    kindOf,
  );
  const missing = await Promise.all(
    [...wanted].map(async ([kind, objects]) => {
      const list = await client
        .of<KubeObject>(kind)
        .list()
        .catch((error: unknown) => {
          if (isReason(error, 'NotFound', 'Forbidden')) return undefined;
          throw error;
        });
      const found = new Set(list?.items.map(({ metadata }) => metadata.name));
      return list ? objects.filter(({ metadata }) => !found.has(metadata.name ?? '')) : [];
    }),
  );
  return missing.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}
