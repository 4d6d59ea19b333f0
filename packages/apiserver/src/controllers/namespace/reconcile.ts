import { type Kind, Namespace, type Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import type { ServedKinds } from '../servedKinds.ts';
import { deleteContent } from './content.ts';
import { isEmpty, terminationConditions } from './status.ts';

/** Objects with finalizers or a grace period go in their own time; how often to look whether they have. */
const RECHECK_MS = 1000;
const FINALIZER = 'kubernetes';

export interface NamespaceParts {
  readonly client: Client;
  readonly served: ServedKinds;
  readonly now: () => Date;
}

/** Empties a terminating namespace and, when nothing is left, lets it go. */
export async function reconcileNamespace(
  namespace: Persisted<Namespace>,
  { client, served, now }: NamespaceParts,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { metadata, spec, status } = namespace;
  const name = metadata.name;
  if (!metadata.deletionTimestamp || !spec?.finalizers?.includes(FINALIZER)) return undefined;
  const content = [];
  for (const kind of podsFirst([...served.list()].filter(isNamespaceContent)))
    content.push(await deleteContent(client, kind, name));
  if (!isEmpty(content)) {
    const conditions = terminationConditions(namespace, content, now());
    if (!deepEqual(conditions, status?.conditions ?? []))
      await client
        .of(Namespace)
        .updateStatus({ ...namespace, status: { ...status, phase: 'Terminating', conditions } });
    return { requeueAfterMs: RECHECK_MS };
  }
  await finalize(client, namespace);
  return undefined;
}

const isNamespaceContent = ({ namespaced, virtual, verbs }: Kind): boolean =>
  namespaced && !virtual && verbs.includes('delete') && verbs.includes('list');

/** Pods may still use the secrets, claims and accounts beside them, so they are deleted first. */
const podsFirst = (kinds: Kind[]): Kind[] => {
  const isPod = ({ group, plural }: Kind) => group === '' && plural === 'pods';
  return [...kinds.filter(isPod), ...kinds.filter((kind) => !isPod(kind))];
};

async function finalize(client: Client, namespace: Persisted<Namespace>): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  await client
    .call({
      method: 'PUT',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace.metadata.name)}/finalize`,
      body: { ...namespace, spec: { ...namespace.spec, finalizers } },
    })
    .catch(ignoreNotFound);
}
