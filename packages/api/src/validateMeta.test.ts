import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from './meta.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './validateMeta.ts';

const texts = (errors: { field: string; text: string }[]) => errors.map(({ field, text }) => `${field}: ${text}`);
const check = (meta: ObjectMeta, namespaced = true) => texts(validateObjectMeta(meta, { namespaced }));
const good = { name: 'x', namespace: 'default' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

describe('validateObjectMeta', () => {
  it.each<[string, ObjectMeta, string[]]>([
    [
      'a good one',
      {
        ...good,
        labels: { a: 'b' },
        annotations: { 'x/Y': 'anything at all' },
        finalizers: ['example.com/f'],
        ownerReferences: [owner],
      },
      [],
    ],
    ['no name', { namespace: 'default' }, ['metadata.name: Required value: name or generateName is required']],
    ['a bad name', { ...good, name: 'X' }, ['metadata.name: Invalid value: "X": a lowercase RFC 1123 subdomain']],
    [
      'a bad prefix',
      { ...good, generateName: 'X-' },
      ['metadata.generateName: Invalid value: "X-": a lowercase RFC 1123 subdomain'],
    ],
    ['a good prefix', { ...good, generateName: 'x-' }, []],
    ['no namespace', { name: 'x' }, ['metadata.namespace: Required value']],
    [
      'a bad namespace',
      { ...good, namespace: 'a.b' },
      ['metadata.namespace: Invalid value: "a.b": a lowercase RFC 1123 label'],
    ],
    [
      'a bad label',
      { ...good, labels: { 'a b': 'c d' } },
      ['metadata.labels: Invalid value: "a b": name part', 'metadata.labels: Invalid value: "c d": a valid label'],
    ],
    [
      'a bad annotation',
      { ...good, annotations: { 'a b': '' } },
      ['metadata.annotations: Invalid value: "a b": name part'],
    ],
    [
      'too many annotations',
      { ...good, annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'an incomplete owner',
      { ...good, ownerReferences: [{ ...owner, uid: '' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    [
      'two controllers',
      {
        ...good,
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'q', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: ["Pod/p","Pod/q"]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ],
    ],
    ['a bad finalizer', { ...good, finalizers: ['a b'] }, ['metadata.finalizers: Invalid value: "a b": name part']],
    [
      'both deletion finalizers',
      { ...good, finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ])('%s', (_, meta, expected) => {
    expect(check(meta)).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it.each<[string, string[], string[], string[]]>([
    ['a domain', ['example.com/f'], [], []],
    ["the server's own", ['kubernetes', 'orphan'], [], []],
    [
      'no domain',
      ['example.com/f', 'mine'],
      [],
      [
        'metadata.finalizers[1]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    ['no domain, but there before', ['mine'], ['mine'], []],
  ])('finalizers of a built-in kind: %s', (_, finalizers, before, expected) => {
    const rules = { namespaced: true, qualifiedFinalizers: { before } };
    expect(texts(validateObjectMeta({ ...good, finalizers }, rules))).toEqual(expected);
  });

  it('finalizers of custom resources need no domain', () => {
    expect(check({ ...good, finalizers: ['mine'] })).toEqual([]);
  });

  it('a namespace on a cluster-wide object', () => {
    expect(check(good, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = { ...good, uid: 'u', creationTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a'] };
  const dying: ObjectMeta = { ...old, deletionTimestamp: '2024-01-02T00:00:00Z', deletionGracePeriodSeconds: 30 };
  it.each<[string, ObjectMeta, ObjectMeta, string[]]>([
    ['nothing', old, old, []],
    ['what the server fills in is left out', good, dying, []],
    ['name', { ...old, name: 'y' }, old, ['metadata.name: Invalid value: "y": field is immutable']],
    ['namespace', { name: 'x' }, old, ['metadata.namespace: Invalid value: "": field is immutable']],
    ['uid', { ...old, uid: 'v' }, old, ['metadata.uid: Invalid value: "v": field is immutable']],
    [
      'creationTimestamp',
      { ...old, creationTimestamp: '2025-01-01T00:00:00Z' },
      old,
      ['metadata.creationTimestamp: Invalid value: "2025-01-01T00:00:00Z": field is immutable'],
    ],
    [
      'deletionTimestamp',
      { ...old, deletionTimestamp: '2025-01-01T00:00:00Z' },
      old,
      ['metadata.deletionTimestamp: Invalid value: "2025-01-01T00:00:00Z": field is immutable'],
    ],
    [
      'grace period',
      { ...dying, deletionGracePeriodSeconds: 0 },
      dying,
      ['metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable'],
    ],
    ['new finalizers while alive', { ...old, finalizers: ['a', 'b'] }, old, []],
    [
      'new finalizers while being deleted',
      { ...dying, finalizers: ['a', 'b'] },
      dying,
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b"}',
      ],
    ],
    ['bad labels', { ...old, labels: { 'a b': '' } }, old, ['metadata.labels: Invalid value: "a b"']],
  ])('%s', (_, meta, before, expected) => {
    expect(texts(validateObjectMetaUpdate(meta, before))).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
  });
});
