import { builtinKinds, type Kind } from '@vireo/api';
import { expect, it } from 'vitest';
import { resourcePaths } from './operations.ts';

const kind = builtinKinds.find((candidate) => candidate.kind === 'ConfigMap') as Kind;
const path = '/api/v1/namespaces/{namespace}/configmaps/{name}';

const patchTypesOf = (custom: boolean): readonly string[] | undefined =>
  resourcePaths({ kind, strategy: {}, prefix: 'core/configmaps', custom }).find((each) => each.path === path)
    ?.operations.patch?.consumes;

it('names the patches that a resource takes: kubectl apply goes by them', () => {
  expect(patchTypesOf(false)).toContain('application/strategic-merge-patch+json');
  expect(patchTypesOf(true)).toEqual([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
});
