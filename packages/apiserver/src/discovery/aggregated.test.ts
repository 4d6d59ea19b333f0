import { expect, it } from 'vitest';
import { aggregatedGroups } from './aggregated.ts';
import type { ApiResource } from './resources.ts';

const resource = (name: string, kind: string): ApiResource => ({
  name,
  singularName: '',
  namespaced: true,
  kind,
  verbs: ['get'],
});

it('subresources without their resource still have a place', () => {
  const resources = [resource('machines/console', 'Console'), resource('machines/vnc', 'Screen')];
  const groups = aggregatedGroups([{ name: 'subresources.example', versions: [{ version: 'v1', resources }] }], 'v2');
  expect(groups).toMatchObject({
    items: [
      {
        metadata: { name: 'subresources.example' },
        versions: [
          {
            version: 'v1',
            resources: [
              { resource: 'machines', verbs: [], subresources: [{ subresource: 'console' }, { subresource: 'vnc' }] },
            ],
          },
        ],
      },
    ],
  });
});
