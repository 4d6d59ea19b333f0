import { describe, expect, test } from 'vitest';
import { contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { namespaceStrategy } from './namespace.ts';

const namespace = (rest: object = {}) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' }, ...rest });
const LABEL = { 'kubernetes.io/metadata.name': 'team' };

test('a new namespace is active, held by the server, and labelled with its name', () => {
  expect(created(namespaceStrategy, namespace({ status: { phase: 'Terminating' } }))).toEqual(
    namespace({
      metadata: { name: 'team', labels: LABEL },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }),
  );
});

describe('an update', () => {
  const old = namespace({ metadata: { name: 'team', labels: LABEL }, spec: { finalizers: ['kubernetes'] } });

  test('neither takes the finalizers nor the label away', () => {
    expect(updated(namespaceStrategy, namespace({ spec: {} }), old)).toEqual(old);
  });

  test('through /finalize changes the finalizers alone', () => {
    const sent = namespace({ metadata: { name: 'team', labels: { a: 'b' } }, spec: { finalizers: [] }, status: {} });
    expect(updated(namespaceStrategy, sent, old, contextOf({ subresource: 'finalize' }))).toEqual({
      ...old,
      spec: { finalizers: [] },
    });
  });
});

test('deletion makes it Terminating and waits for the finalizers', () => {
  const draft = namespace({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  namespaceStrategy.beginDelete?.(draft);
  expect(draft).toMatchObject({ status: { phase: 'Terminating' } });
  expect(namespaceStrategy.holdsDeletion?.(draft)).toBe(true);
  expect(namespaceStrategy.holdsDeletion?.(namespace({ spec: { finalizers: [] } }))).toBe(false);
});

test('a finalizer is the server’s own or fully qualified', () => {
  expect(
    problems(namespaceStrategy, namespace({ spec: { finalizers: ['kubernetes', 'example.com/x', 'mine'] } })),
  ).toEqual([
    'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});
