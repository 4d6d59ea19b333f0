import { describe, expect, it } from 'vitest';
import { crdStatus } from './status.ts';
import type { Crd, CrdNames, CrdStatus } from './types.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const names: CrdNames = { plural: 'mice', singular: 'mouse', kind: 'Mouse', listKind: 'MouseList', shortNames: ['m'] };
const crd = (status?: CrdStatus, wanted = names): Crd => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'mice.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: wanted,
    versions: [
      { name: 'v1', served: true, storage: false },
      { name: 'v2', served: true, storage: true },
    ],
  },
  ...(status && { status }),
});
const taken = (resources: string[] = [], kinds: string[] = []) => ({
  resources: new Set(resources),
  kinds: new Set(kinds),
});
const conditions = ({ conditions: all = [] }: CrdStatus): string[] =>
  all.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('the status of a definition', () => {
  it('accepts names that are free', () => {
    const status = crdStatus(crd(), taken(), NOW);
    expect(conditions(status)).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    expect(status.acceptedNames).toEqual(names);
  });

  it.each([
    ['PluralConflict', taken(['mice']), '"mice"', { ...names, plural: '' }],
    ['SingularConflict', taken(['mouse']), '"mouse"', without('singular')],
    ['ShortNamesConflict', taken(['m']), '"m"', without('shortNames')],
    ['KindConflict', taken([], ['Mouse']), '"Mouse"', { ...names, kind: '' }],
    ['ListKindConflict', taken([], ['MouseList']), '"MouseList"', without('listKind')],
  ])('names a %s and accepts the rest', (reason, used, name, accepted) => {
    const status = crdStatus(crd(), used, NOW);
    expect(conditions(status)).toEqual([`NamesAccepted=False ${reason}`, 'Established=False NotAccepted']);
    expect(status.conditions?.[0]?.message).toBe(`${name} is already in use`);
    expect(status.acceptedNames).toEqual(accepted);
  });

  it('stays established when a later name is taken, and keeps the old one', () => {
    const before = crdStatus(crd(), taken(), NOW);
    const after = crdStatus(crd(before, { ...names, kind: 'Rat' }), taken([], ['Rat']), NOW);
    expect(conditions(after)).toEqual(['NamesAccepted=False KindConflict', 'Established=True InitialNamesAccepted']);
    expect(after.acceptedNames?.kind).toBe('Mouse');
  });

  it.each([
    ['https://x.io/1', 'True ApprovedAnnotation', 'approved in https://x.io/1'],
    ['unapproved, a try', 'False UnapprovedAnnotation', 'not approved: "unapproved, a try"'],
    [
      '',
      'False MissingAnnotation',
      'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
    [
      'yes',
      'False InvalidAnnotation',
      'protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ])('says who approved a kind of Kubernetes: %j', (annotation, condition, message) => {
    const { metadata, spec, ...rest } = crd();
    const annotations = { 'api-approved.kubernetes.io': annotation };
    const of = { ...rest, metadata: { ...metadata, annotations }, spec: { ...spec, group: 'x.k8s.io' } };
    const status = crdStatus(of, taken(), NOW);
    expect(conditions(status)[1]).toBe(`KubernetesAPIApprovalPolicyConformant=${condition}`);
    expect(status.conditions?.[1]?.message).toBe(message);
  });

  it('waits for authorities that can be read, where a webhook converts', () => {
    const convertedBy = (caBundle: string) => {
      const clientConfig = { url: 'https://example.com', caBundle };
      const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
      const { spec, ...rest } = crd();
      return { ...rest, spec: { ...spec, conversion } };
    };
    const status = crdStatus(convertedBy('bm9uZQ=='), taken(), NOW);
    expect(conditions(status)).toContain('Established=False InvalidCABundle');
    expect(status.conditions?.at(-1)?.message).toBe('The conversion webhook CABundle is invalid');
    expect(conditions(crdStatus(convertedBy(''), taken(), NOW))).toContain('Established=True InitialNamesAccepted');
  });

  it('leaves alone what others say is stored', () => {
    expect(crdStatus(crd({ storedVersions: ['v1'] }), taken(), NOW).storedVersions).toEqual(['v1']);
  });

  it('is the same the second time', () => {
    const before = crdStatus(crd(), taken(), NOW);
    expect(crdStatus(crd(before), taken(), new Date())).toEqual(before);
  });
});

function without(field: keyof CrdNames): CrdNames {
  const { [field]: _, ...rest } = names;
  return rest as CrdNames;
}
