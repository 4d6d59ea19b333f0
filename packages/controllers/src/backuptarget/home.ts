import { Namespace } from '@vireo/api';
import type { Client } from '@vireo/kube';

/** What this installation is known by among others that share a target. It is asked for once. */
export function homeOf(client: Client): () => Promise<string> {
  let home: string | undefined;
  return async () => {
    home ??= (await client.of(Namespace).get('kube-system')).metadata.uid;
    return home;
  };
}
