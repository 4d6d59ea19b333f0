import { builtinKinds, type Kind } from '@vireo/api';
import { expect, it } from 'vitest';
import { resourcePaths } from './paths.ts';

const kind = builtinKinds.find((candidate) => candidate.kind === 'ConfigMap') as Kind;
const path = '/api/v1/namespaces/{namespace}/configmaps/{name}';

const patchTypesOf = (custom: boolean): string[] => {
  const paths = resourcePaths({ kind, strategy: {}, prefix: 'core/configmaps', custom });
  const { patch } = paths[path] as { patch: { requestBody: { content: object } } };
  return Object.keys(patch.requestBody.content);
};

it('names the patches that a resource takes: kubectl apply goes by them', () => {
  expect(patchTypesOf(false)).toContain('application/strategic-merge-patch+json');
  expect(patchTypesOf(true)).toEqual([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
});
