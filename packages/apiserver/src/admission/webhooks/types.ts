import type { KubeObject } from '@vireo/api';

/** A webhook of either configuration kind, with the parts that decide when and how it is called. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
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

/** What a webhook answers. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly message?: string;
    readonly reason?: string;
    readonly code?: number;
    readonly details?: unknown;
  };
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}
