import type { Api } from '../../data/api.ts';
import type { KubeObject } from '../../data/kinds.ts';
import { Refused } from '../../data/refused.ts';
import { editable, toStore } from '../../decisions/yaml/editable.ts';
import { type Merged, mergeThreeWay } from '../../decisions/yaml/merge.ts';
import { type Problem, problemsIn } from '../../decisions/yaml/problems.ts';
import { isEqual } from '../../decisions/yaml/values.ts';

/** How an attempt to store an object went. */
export type Outcome =
  | { readonly kind: 'stored'; readonly object: KubeObject }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[]; readonly isForbidden: boolean }
  | { readonly kind: 'conflict'; readonly theirs: KubeObject; readonly merged: Merged };

/** The server writes the status all the time, and each time raises the version. */
const MOST_ATTEMPTS = 5;

/**
 * Stores an edited object in place of `base`, or only asks what would be stored. A version that differs from `base` in
 * nothing that people edit is replaced all the same; for one that differs, the merge is returned, and nothing is stored.
 */
export async function store(
  api: Api,
  path: string,
  edited: unknown,
  base: KubeObject,
  isDryRun: boolean,
): Promise<Outcome> {
  const query = `fieldValidation=Strict${isDryRun ? '&dryRun=All' : ''}`;
  let stored = base;
  for (let attempt = 1; ; attempt++) {
    try {
      const object = await api.request<KubeObject>('PUT', `${path}?${query}`, toStore(edited, stored));
      return { kind: 'stored', object };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code !== 409 || attempt === MOST_ATTEMPTS)
        return {
          kind: 'problems',
          problems: problemsIn(error.message, error.causes),
          isForbidden: error.code === 403,
        };
      stored = await api.request<KubeObject>('GET', path);
      // Another object of the same name: nobody edited this one.
      if (stored.metadata.uid !== base.metadata.uid) throw error;
      if (!isEqual(editable(stored), editable(base)))
        return {
          kind: 'conflict',
          theirs: stored,
          merged: mergeThreeWay(editable(base), edited, editable(stored)),
        };
    }
  }
}
