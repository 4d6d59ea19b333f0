import { expect, it } from 'vitest';
import { allows, EDIT, VIEW } from './policy.ts';
import { verdict } from './verdict.ts';

it.each<[number, boolean, RegExp | undefined]>([
  [200, true, undefined],
  [404, true, undefined],
  [422, true, undefined],
  [501, true, undefined],
  [403, true, /jane: should be allowed, got 403/],
  [403, false, undefined],
  [401, false, undefined],
  [200, false, /jane: should be refused, got 200/],
  // That there is nothing is something that one may not know either.
  [404, false, /jane: should be refused, got 404/],
  [500, true, /jane: 500/],
  [503, false, /jane: 503/],
])('%i, where %s', (status, isAllowed, problem) => {
  const found = verdict({ status, headers: {}, body: '' }, isAllowed, 'jane');
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

it('the policy allows what stands in it, and nothing else', () => {
  expect(allows(VIEW, 'list', 'kubevirt.io', 'virtualmachines')).toBe(true);
  expect(allows(VIEW, 'get', '', 'secrets')).toBe(false);
  expect(allows(EDIT, 'get', '', 'secrets')).toBe(true);
  expect(allows(EDIT, 'update', 'kubevirt.io', 'virtualmachines/status')).toBe(false);
  expect(allows(EDIT, 'create', 'rbac.authorization.k8s.io', 'rolebindings')).toBe(false);
});
