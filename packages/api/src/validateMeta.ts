import { type FieldError, field } from './errors.ts';
import type { ObjectMeta, OwnerReference } from './meta.ts';
import { dnsLabel, dnsSubdomain, labelValueErrors, type NameRule, qualifiedNameErrors } from './names.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;
const IMMUTABLE = 'field is immutable';

export interface MetaRules {
  readonly namespaced: boolean;
  /** Default: a DNS subdomain. */
  readonly nameRule?: NameRule;
  /** Whether finalizers need a domain, as those of most built-in kinds do, and which of them were there before. */
  readonly qualifiedFinalizers?: { readonly before: readonly string[] };
}

/** What the server itself puts on objects. */
export const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** What is wrong with an object's metadata. Types have been checked before. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules, path = 'metadata'): FieldError[] {
  const { namespaced, nameRule = dnsSubdomain } = rules;
  const errors: FieldError[] = [];
  const check = (key: string, value: string, why: readonly string[]) =>
    errors.push(...why.map((text) => field.invalid(`${path}.${key}`, value, text)));

  if (meta.generateName) check('generateName', meta.generateName, nameRule(meta.generateName, true));
  if (meta.name) check('name', meta.name, nameRule(meta.name));
  else errors.push(field.required(`${path}.name`, 'name or generateName is required'));
  if (!namespaced) {
    if (meta.namespace) errors.push(field.forbidden(`${path}.namespace`, 'not allowed on this type'));
  } else if (meta.namespace) check('namespace', meta.namespace, dnsLabel(meta.namespace));
  else errors.push(field.required(`${path}.namespace`));
  if ((meta.generation ?? 0) < 0) {
    errors.push(field.invalid(`${path}.generation`, meta.generation, 'must be greater than or equal to 0'));
  }
  return [...errors, ...validateMetaLists(meta, path), ...validateDomains(meta, rules, path)];
}

/** A finalizer without a domain that was stored before this was looked at stays, or its object could not be freed. */
function validateDomains(
  { finalizers = [] }: ObjectMeta,
  { qualifiedFinalizers }: MetaRules,
  path: string,
): FieldError[] {
  if (!qualifiedFinalizers) return [];
  return finalizers.flatMap((name, i) =>
    qualifiedFinalizers.before.includes(name) ? [] : finalizerDomainErrors(name, `${path}.finalizers[${i}]`),
  );
}

/** Also for the finalizers in the spec of a namespace. */
export const finalizerDomainErrors = (name: string, path: string): FieldError[] =>
  name.includes('/') || STANDARD_FINALIZERS.includes(name)
    ? []
    : [field.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];

/** The parts that clients may change at any time. */
function validateMetaLists(meta: ObjectMeta, path: string): FieldError[] {
  return [
    ...validateLabels(meta.labels ?? {}, `${path}.labels`),
    ...validateAnnotations(meta.annotations ?? {}, `${path}.annotations`),
    ...validateOwners(meta.ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateFinalizers(meta.finalizers ?? [], `${path}.finalizers`),
  ];
}

/** Also for the labels of templates and selectors. */
export const validateLabels = (labels: Readonly<Record<string, string>>, path: string): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((why) => field.invalid(path, key, why)),
    ...labelValueErrors(value).map((why) => field.invalid(path, value, why)),
  ]);

export function validateAnnotations(annotations: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors = Object.keys(annotations).flatMap((key) =>
    qualifiedNameErrors(key.toLowerCase()).map((why) => field.invalid(path, key, why)),
  );
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > MAX_ANNOTATION_BYTES ? [...errors, field.tooLong(path, MAX_ANNOTATION_BYTES)] : errors;
}

function validateOwners(owners: readonly OwnerReference[], path: string): FieldError[] {
  const errors = owners.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((key) => !owner[key])
      .map((key) =>
        field.invalid(
          `${path}.${key}`,
          owner[key] ?? '',
          key === 'apiVersion' ? 'version must not be empty' : 'must not be empty',
        ),
      ),
  );
  const controllers = owners.filter((owner) => owner.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
    errors.push(
      field.invalid(
        path,
        owners.map(({ kind, name }) => `${kind}/${name}`),
        why,
      ),
    );
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((name) => qualifiedNameErrors(name).map((why) => field.invalid(path, name, why)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(field.invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/**
 * What is wrong with a change of metadata. A uid, creation or deletion time left out is taken as unchanged: the server
 * puts the stored ones back.
 */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['name', 'namespace'] as const) {
    if ((meta[key] ?? '') !== (old[key] ?? ''))
      errors.push(field.invalid(`${path}.${key}`, meta[key] ?? '', IMMUTABLE));
  }
  for (const key of ['uid', 'creationTimestamp'] as const) {
    if (meta[key] && meta[key] !== old[key]) errors.push(field.invalid(`${path}.${key}`, meta[key], IMMUTABLE));
  }
  for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (meta[key] !== undefined && meta[key] !== old[key]) {
      errors.push(field.invalid(`${path}.${key}`, meta[key], IMMUTABLE));
    }
  }
  if (old.deletionTimestamp) {
    const added = (meta.finalizers ?? []).filter((name) => !old.finalizers?.includes(name));
    if (added.length > 0) {
      const names = added.map((name) => JSON.stringify(name)).join(', ');
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
      errors.push(field.forbidden(`${path}.finalizers`, why));
    }
  }
  return [...errors, ...validateMetaLists(meta, path)];
}
