import { expect, it } from 'vitest';
import { OTHER, OWN } from './people.ts';
import { topicsOf } from './subscribe.ts';

const served = (group: string, name: string, namespaced: boolean, verbs = ['get', 'list', 'watch']) => ({
  group,
  version: 'v1beta1',
  name,
  namespaced,
  verbs,
});

it('asks to hear of each kind of the Steve API that can be watched, in namespaces and everywhere', () => {
  const topics = topicsOf([
    served('harvesterhci.io', 'schedulevmbackups', true),
    served('harvesterhci.io', 'settings', false),
    served('harvesterhci.io', 'keypairs', true, ['get', 'list']),
    served('example.org', 'strangers', true),
  ]);
  expect(topics.map(({ type, namespace }) => [type, namespace])).toEqual([
    ['harvesterhci.io.schedulevmbackup', OWN],
    ['harvesterhci.io.schedulevmbackup', OTHER],
    ['harvesterhci.io.schedulevmbackup', undefined],
    ['harvesterhci.io.setting', undefined],
  ]);
});
