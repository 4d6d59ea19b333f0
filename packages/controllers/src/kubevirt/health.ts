import type { ComponentName } from './components.ts';

/** Who knows whether our parts are well. */
export interface Health {
  isReady(component: ComponentName): boolean;
  /** Calls back when an answer may have changed; the result ends it. */
  onChange(callback: () => void): () => void;
}
