import type { Pod } from '../../data/nodeKinds.ts';

/** What became of the request to evict a pod. */
export type Eviction = 'waiting' | 'asked' | 'gone' | 'failed';

export interface Evicting {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: Eviction;
  readonly message?: string;
}

/** Pods that a drain evicts, as kubectl has it: not those of DaemonSets, nor mirrors of files, nor what has ended. */
export function podsToEvict(pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata, status }) => {
    if (metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
    if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
    return !metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'DaemonSet');
  });
}

/** The answer to an eviction: 429 means that it is on its way or must wait, and is asked again. */
export function answerTo(code: number | undefined, message: string): Pick<Evicting, 'state' | 'message'> {
  if (code === undefined) return { state: 'asked' };
  if (code === 404) return { state: 'gone' };
  return code === 429 ? { state: 'asked', message } : { state: 'failed', message };
}

/** `2 of 5 pods have left.` */
export function drainText(evicting: readonly Evicting[]): string {
  const gone = evicting.filter(({ state }) => state === 'gone').length;
  if (evicting.length === 0) return 'The node is empty.';
  return `${gone} of ${evicting.length} ${evicting.length === 1 ? 'pod has' : 'pods have'} left.`;
}
