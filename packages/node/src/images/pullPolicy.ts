import type { ImageReference } from '@vireo/oci';

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** The policy that holds: the one given, else Always for what moves and IfNotPresent for what has a name of its own. */
export function pullPolicy(given: PullPolicy | undefined, { tag, digest }: ImageReference): PullPolicy {
  return given ?? (digest === undefined && tag === 'latest' ? 'Always' : 'IfNotPresent');
}
