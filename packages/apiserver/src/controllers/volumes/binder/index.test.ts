import { expect, it } from 'vitest';
import { subjectOf } from './index.ts';

it.each([
  ['claim:default/disk', { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'disk' }],
  ['volume:pv-1', { kind: 'PersistentVolume', name: 'pv-1' }],
])('the log of the volume binder names the object that %s stands for', (key, subject) => {
  expect(subjectOf(key)).toEqual(subject);
});
