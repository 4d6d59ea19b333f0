import { expect, it } from 'vitest';
import { withoutNodesOf } from './nodeAffinity.ts';

const inZone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const without = (key: string) => ({ key, operator: 'DoesNotExist' });
const required = (...nodeSelectorTerms: object[]) => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
});

it('nothing to rule out leaves the affinity as it is', () => {
  expect(withoutNodesOf([], undefined)).toBeUndefined();
  expect(withoutNodesOf([], { podAffinity: {} })).toEqual({ podAffinity: {} });
});

it('a VMI without affinity gets one', () => {
  expect(withoutNodesOf(['a', 'b'], undefined)).toEqual({
    nodeAffinity: required({ matchExpressions: [without('a'), without('b')] }),
  });
});

it('every term of a VMI rules the nodes out, but one that matches no node still matches none', () => {
  const affinity = {
    podAffinity: {},
    nodeAffinity: required(inZone, { matchFields: [inZone.matchExpressions[0]] }, {}),
  };
  expect(withoutNodesOf(['a'], affinity as Parameters<typeof withoutNodesOf>[1])).toEqual({
    podAffinity: {},
    nodeAffinity: required(
      { matchExpressions: [...inZone.matchExpressions, without('a')] },
      { matchFields: [inZone.matchExpressions[0]], matchExpressions: [without('a')] },
      {},
    ),
  });
});
