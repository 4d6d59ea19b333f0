import type { KubeObject } from '@vireo/api';
import type { ClientConfig } from '../../webhooks/clientConfig.ts';

/** A webhook of either configuration kind, with the parts that decide when and how it is called. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  readonly admissionReviewVersions?: readonly string[];
}

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

/** What a webhook answers, once it has been looked at. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status?: {
    readonly message?: string;
    readonly reason?: string;
    readonly code?: number;
    readonly details?: unknown;
  };
  /** JSON of a patch; empty: there is none. */
  readonly patch: Buffer;
  readonly patchType: unknown;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}
