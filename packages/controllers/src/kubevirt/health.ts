import type { ComponentName } from './components.ts';

/** Who knows whether our parts are well. */
export interface Health {
  isReady(component: ComponentName): boolean;
  /** What is wrong with hypervisors that were to be there: packages that were not taken, and why. */
  hypervisorProblems?(): readonly { readonly plugin: string; readonly problem: string }[];
  /** Calls back when an answer may have changed; the result ends it. */
  onChange(callback: () => void): () => void;
}
