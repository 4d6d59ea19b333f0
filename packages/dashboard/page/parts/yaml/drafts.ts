import { useSyncExternalStore } from 'react';
import type { KubeObject } from '../../data/kinds.ts';

/** A text that somebody began to change and has not stored. */
export interface Draft {
  readonly text: string;
  /** The object that it was made from. */
  readonly base: KubeObject;
}

/** In memory only: a draft may hold what must not lie around in the browser's storage. */
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Keeps a draft of an object, or forgets it. While there is one, the browser asks before the page is left. */
export function setDraft(key: string, draft: Draft | undefined): void {
  if (draft) drafts.set(key, draft);
  else drafts.delete(key);
  window.removeEventListener('beforeunload', warn);
  if (drafts.size > 0) window.addEventListener('beforeunload', warn);
  for (const listener of listeners) listener();
}

/** The draft of an object, which outlives the view that it was typed in. */
export const useDraft = (key: string): Draft | undefined => useSyncExternalStore(subscribe, () => drafts.get(key));
