import type { ObjectMeta } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { STANDARD_FINALIZERS } from '@vireo/api/validateMeta.ts';

const PREFER = 'prefer a domain-qualified finalizer name';
const CONFLICTS = 'to avoid accidental conflicts with other finalizer writers';

/** What is said of the finalizers that a custom resource gets: without a domain, two writers may mean the same one. */
export function finalizerWarnings({ finalizers = [] }: ObjectMeta, old: ObjectMeta | undefined): string[] {
  const added = new Set(finalizers.filter((name) => !old?.finalizers?.includes(name)));
  return [...added].sort().flatMap((name) => {
    const isPlain = !name.includes('/') && !STANDARD_FINALIZERS.includes(name);
    const advice = `${PREFER}${name.includes('.') ? ' including a path (/)' : ''} ${CONFLICTS}`;
    const texts = [...qualifiedNameErrors(name), ...(isPlain ? [advice] : [])];
    return texts.map((text) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`);
  });
}
