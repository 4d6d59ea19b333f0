import { expect, it } from 'vitest';
import type { Binding, Rule } from '../../data/accessKinds.ts';
import { ABILITIES, whoMay } from './abilities.ts';
import { bindingFor, subjectFrom, subjectProblem, withdrawal } from './grants.ts';
import { allows, rightsByKind, verbWords } from './rules.ts';

const read: Rule = {
  verbs: ['get', 'list', 'watch'],
  apiGroups: ['kubevirt.io'],
  resources: ['virtualmachines', 'virtualmachineinstances'],
};
const all: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const get = { verb: 'get', group: 'kubevirt.io', resource: 'virtualmachines' };
const stop = { verb: 'update', group: 'subresources.kubevirt.io', resource: 'virtualmachines', subresource: 'stop' };

it.each<[string, Rule, typeof get, string | undefined, boolean]>([
  ['a rule', read, get, undefined, true],
  ['another verb', read, { ...get, verb: 'delete' }, undefined, false],
  ['stars', all, stop, undefined, true],
  ['a kind without its subresources', { ...read, verbs: ['*'], apiGroups: ['*'] }, stop, undefined, false],
  ['a subresource of all kinds', { ...all, resources: ['*/stop'] }, stop, undefined, true],
  ['one object, of all', { ...read, resourceNames: ['web'] }, get, undefined, false],
  ['one object, that one', { ...read, resourceNames: ['web'] }, get, 'web', true],
  ['one object, another', { ...read, resourceNames: ['web'] }, get, 'db', false],
])('%s', (_, rule, permission, name, isAllowed) => {
  expect(allows([rule], permission, name)).toBe(isAllowed);
});

it('verbs in words', () => {
  expect(verbWords(['get', 'list', 'watch', 'update', 'patch', 'delete'])).toEqual(['read', 'change', 'delete']);
  expect(verbWords(['get', 'list'])).toEqual(['get', 'list']);
  expect(verbWords(['*'])).toEqual(['everything']);
});

it('rules of a kind are one line, machines first', () => {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, read, { ...read, verbs: ['delete'] }];
  expect(rightsByKind(rules)[0]).toEqual({
    kind: 'virtualmachineinstances.kubevirt.io',
    names: [],
    verbs: ['read', 'delete'],
  });
  expect(rightsByKind(rules).at(-1)?.kind).toBe('pods');
});

const jane = { kind: 'User', name: 'jane' };
const bot = { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' };
const binding = (name: string, role: string, ...subjects: object[]): Binding => ({
  metadata: { name, resourceVersion: '7' },
  subjects: subjects as Binding['subjects'],
  roleRef: { kind: 'ClusterRole', name: role },
});
const known = {
  bindings: [binding('a', 'reader', jane, bot), binding('b', 'secret-role', jane)],
  clusterBindings: [binding('c', 'boss', bot), binding('d', 'pods-only', { kind: 'User', name: 'pete' })],
  roles: [],
  clusterRoles: [
    { metadata: { name: 'reader' }, rules: [read] },
    { metadata: { name: 'boss' }, rules: [all] },
    { metadata: { name: 'pods-only' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  ],
};

it('bindings are resolved to who may do what, and what cannot be seen is told', () => {
  const { holders, unknownRoles } = whoMay(known);
  expect(holders.map(({ key, abilities }) => [key, abilities.filter(Boolean).length])).toEqual([
    ['ServiceAccount shop bot', ABILITIES.length],
    ['User jane', 1],
  ]);
  expect(holders[0]?.sources.map(({ role, isCluster }) => [role, isCluster])).toEqual([
    ['reader', false],
    ['boss', true],
  ]);
  expect(unknownRoles).toEqual(['ClusterRole secret-role']);
});

it('a role is given by a binding of its own', () => {
  expect(subjectFrom('ServiceAccount', 'ops/bot', 'shop')).toEqual({
    kind: 'ServiceAccount',
    name: 'bot',
    namespace: 'ops',
  });
  expect(subjectFrom('ServiceAccount', ' bot ', 'shop')).toEqual(bot);
  expect(bindingFor('kubevirt.io:view', bot, 'shop')).toMatchObject({
    metadata: { generateName: 'kubevirt.io-view-' },
    roleRef: { name: 'kubevirt.io:view' },
  });
  expect([subjectProblem('User', ''), subjectProblem('ServiceAccount', 'A b')].every(Boolean)).toBe(true);
  expect([subjectProblem('User', 'Jane Doe'), subjectProblem('ServiceAccount', 'ops/bot')]).toEqual([
    undefined,
    undefined,
  ]);
});

it('who is taken out of a binding leaves the others in it', () => {
  expect(withdrawal(binding('a', 'reader', jane), jane)).toEqual({ kind: 'delete' });
  expect(withdrawal(binding('a', 'reader', jane, bot), jane)).toMatchObject({
    kind: 'patch',
    operations: [{ op: 'test', value: '7' }, { value: [bot] }],
  });
});
