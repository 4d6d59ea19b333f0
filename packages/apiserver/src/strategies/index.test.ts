import { builtinKinds, groupVersion, type Kind, type UnknownObject } from '@vireo/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryOf } from '../testing/schemaArbitrary.ts';
import { contextOf, freeze } from '../testing/strategies.ts';
import { customStrategy, strategyFor } from './index.ts';

const kinds = (builtinKinds as unknown as Kind[]).filter(({ virtual }) => !virtual);

test('a kind without rules of its own has an empty strategy', () => {
  expect(strategyFor('example.com', 'Widget')).toEqual({});
});

test('an update of a custom resource must name the version it changes', () => {
  expect(customStrategy.unconditionalUpdate).toBe(false);
});

test('names follow the rule of their kind', () => {
  const rules = kinds.map(({ group, kind }) => [kind, strategyFor(group, kind).nameRule ?? 'subdomain'] as const);
  expect(Object.fromEntries(rules.filter(([, rule]) => rule !== 'subdomain'))).toEqual({
    APIService: 'path',
    CertificateSigningRequest: 'path',
    ClusterRole: 'path',
    ClusterRoleBinding: 'path',
    IPAddress: 'path',
    Namespace: 'label',
    Role: 'path',
    RoleBinding: 'path',
    Service: 'label',
  });
});

describe('whatever JSON of the right shape comes in, a strategy answers with errors and never throws', () => {
  test.each(kinds.map((kind) => [`${kind.group || 'core'}/${kind.kind}`, kind] as const))('%s', (_, kind) => {
    const strategy = strategyFor(kind.group, kind.kind);
    const object = arbitraryOf(kind.schema).map((value) => {
      const { metadata, ...rest } = value as { metadata?: object };
      return {
        ...rest,
        apiVersion: groupVersion(kind.group, kind.version),
        kind: kind.kind,
        metadata: { name: 'x', ...metadata },
      } as UnknownObject;
    });
    const subresource = fc.constantFrom('', '', 'status', ...kind.subresources.map(({ name }) => name));
    fc.assert(
      fc.property(object, object, subresource, (sent, other, path) => {
        const context = contextOf({ subresource: path, stored: [freeze(structuredClone(other))] });
        const created = structuredClone(sent);
        strategy.prepareForCreate?.(created, context);
        strategy.validate?.(created, context);
        strategy.warnings?.(created, context);
        const old = freeze(structuredClone(other));
        const updated = structuredClone(sent);
        strategy.prepareForUpdate?.(updated, old, context);
        const errors = [
          ...(strategy.validate?.(updated, context) ?? []),
          ...(strategy.validateUpdate?.(updated, old, context) ?? []),
        ];
        strategy.graceSeconds?.(old, undefined);
        strategy.holdsDeletion?.(old);
        strategy.beginDelete?.(updated);
        for (const error of errors) expect(error.text).not.toMatch(/: undefined|"undefined"|NaN|\[object/);
      }),
      { numRuns: 100 },
    );
  });
});
