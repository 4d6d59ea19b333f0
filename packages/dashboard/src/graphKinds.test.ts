import { GRAPH_KINDS } from '@vireo/extension/objectgraph/kinds.ts';
import { expect, it } from 'vitest';
import { objectPath } from '../page/decisions/graphKinds.ts';
import type { GraphObject } from '../page/decisions/graphModel.ts';

const UNKNOWN: Omit<GraphObject, 'group' | 'kind' | 'namespace'> = {
  key: 'a',
  name: 'a',
  type: 'config',
  status: 'present',
  isOptional: true,
  isTruncated: false,
  count: 1,
};

it.each(GRAPH_KINDS)('the page knows where objects of $kind of $group are', (ref) => {
  const { group, version, kind, plural, namespaced } = ref;
  const start = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespace = namespaced ? 'shop' : '';
  expect(objectPath({ ...UNKNOWN, group, kind, namespace })).toBe(
    `${start}${namespaced ? '/namespaces/shop' : ''}/${plural}/a`,
  );
});
