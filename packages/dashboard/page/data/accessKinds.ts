import type { KubeObject } from './kinds.ts';

/** A rule of a role, or of a review of rules. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface RulesReview {
  readonly status?: {
    readonly resourceRules?: readonly Rule[];
    readonly incomplete?: boolean;
    readonly evaluationError?: string;
  };
}

export interface Role extends KubeObject {
  readonly rules?: readonly Rule[] | null;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

export interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}
