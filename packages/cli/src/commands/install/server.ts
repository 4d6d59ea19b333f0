import type { KubeObject } from '@vireo/api';

/** The oldest Kubernetes that is supported, and the oldest that `--allow-old-server` takes: numbers after `1.`. */
export const OLDEST_SUPPORTED = 30;
export const OLDEST_ALLOWED = 20;

/** What servers before a release do not have, and what that means for VMs. */
const ADDITIONS: readonly { readonly since: number; readonly missing: string }[] = [
  { since: 21, missing: 'PodDisruptionBudgets (policy/v1): VMs do not delay drains by them' },
  {
    since: 22,
    missing: 'the namespace label kubernetes.io/metadata.name: selectors of namespaces by name match nothing',
  },
  { since: 25, missing: 'rules in CEL in CRDs: the extension alone checks objects' },
  { since: 27, missing: 'field validation: unknown fields of objects are dropped without a warning' },
  {
    since: 28,
    missing:
      'matchConditions of webhooks: the extension is asked about more requests than it has rules for, and nodes are not ' +
      'kept to their own claims and volumes while it does not answer',
  },
  {
    since: 30,
    missing:
      'ValidatingAdmissionPolicies: nodes are kept to their own objects by the extension alone, while it answers',
  },
  {
    since: 30,
    missing: 'selectable fields of custom resources: kubectl get --field-selector finds names and namespaces only',
  },
];

/** What will be missing on a server of this version, in words. */
export const missingOn = (minor: number): string[] =>
  ADDITIONS.filter(({ since }) => minor < since).map(({ missing }) => missing);

/** Kinds that servers before a release do not serve. */
const KINDS_SINCE: Readonly<Record<string, number>> = {
  ValidatingAdmissionPolicy: 30,
  ValidatingAdmissionPolicyBinding: 30,
};

/** A field that servers before a release refuse to apply, and the lists or schemas that have it. */
interface LateField {
  readonly since: number;
  readonly kinds: readonly string[];
  readonly name: string;
  /** The field whose entries have it; missing: it may be anywhere in a schema. */
  readonly in?: string;
}

const LATE_FIELDS: readonly LateField[] = [
  { since: 25, kinds: ['CustomResourceDefinition'], name: 'x-kubernetes-validations' },
  { since: 30, kinds: ['CustomResourceDefinition'], name: 'selectableFields', in: 'versions' },
  {
    since: 28,
    kinds: ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
    name: 'matchConditions',
    in: 'webhooks',
  },
];

/** The same objects without what a server of this version does not take. */
export function objectsFor(minor: number, objects: readonly KubeObject[]): KubeObject[] {
  const late = LATE_FIELDS.filter(({ since }) => minor < since);
  const served = objects.filter(({ kind }) => minor >= (KINDS_SINCE[kind] ?? 0));
  return served
    .map((object) => (minor < 28 ? withoutBlocking(object) : object))
    .map((object) =>
      late
        .filter(({ kinds }) => kinds.includes(object.kind))
        .reduce((kept, field) => without(field, kept) as KubeObject, object),
    );
}

/** In seconds: how long a webhook may hold up a request that it is not about. */
const RELAXED_TIMEOUT = 2;

/** A webhook that is about some requests only, and would be asked about all, must not block those that it is not about. */
function withoutBlocking(object: KubeObject): KubeObject {
  const { webhooks } = object as { webhooks?: readonly { matchConditions?: unknown }[] };
  if (!webhooks) return object;
  const relaxed = webhooks.map((each) =>
    each.matchConditions ? { ...each, failurePolicy: 'Ignore', timeoutSeconds: RELAXED_TIMEOUT } : each,
  );
  return { ...object, webhooks: relaxed } as KubeObject;
}

function without(field: LateField, value: unknown, parent?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => without(field, each, parent));
  if (typeof value !== 'object' || value === null) return value;
  // What a schema calls a property is a name, not a field.
  const isHere = field.in === undefined ? parent !== 'properties' : parent === field.in;
  const kept = Object.entries(value).filter(([name]) => !(isHere && name === field.name));
  return Object.fromEntries(kept.map(([name, child]) => [name, without(field, child, name)]));
}
