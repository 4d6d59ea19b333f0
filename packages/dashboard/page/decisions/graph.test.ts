import { expect, it } from 'vitest';
import { graphLines } from './graph.ts';

const object = (kind: string, name: string) => ({ objectReference: { kind, name, namespace: 'default' } });
const lines = graphLines({
  ...object('VirtualMachine', 'web'),
  status: 'present',
  children: [
    {
      ...object('DataVolume', 'web-root'),
      children: [{ ...object('PersistentVolumeClaim', 'web-root'), status: 'present' }],
    },
    { ...object('Secret', 'keys'), status: 'missing', fieldPath: 'spec.accessCredentials[0]' },
    { ...object('Secret', 'hidden'), status: 'forbidden' },
    { ...object('ConfigMap', 'extra'), status: 'missing', optional: true },
  ],
});

it('the graph is a tree of lines, with missing and forbidden told apart', () => {
  expect(lines.map(({ depth, kind, status }) => [depth, kind, status])).toEqual([
    [0, 'VirtualMachine', 'present'],
    [1, 'DataVolume', 'present'],
    [2, 'PersistentVolumeClaim', 'present'],
    [1, 'Secret', 'missing'],
    [1, 'Secret', 'forbidden'],
    [1, 'ConfigMap', 'missing'],
  ]);
});
