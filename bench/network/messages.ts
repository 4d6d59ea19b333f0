import type { Result } from '../report.ts';
import type { Plan } from './plan.ts';

/** What is to be measured. */
export interface ToProcess {
  readonly plan: Plan;
  readonly names: readonly string[];
}

/** How far it is, and how it ended. */
export type FromProcess = { readonly progress: string } | { readonly results: Result[] } | { readonly error: string };
