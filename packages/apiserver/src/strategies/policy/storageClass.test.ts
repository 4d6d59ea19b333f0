import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { storageClassStrategy } from './storageClass.ts';

const storageClass = (rest: object = {}) => ({
  metadata: { name: 'fast' },
  provisioner: 'vireo.io/local',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...rest,
});

test.each<[string, object, string[]]>([
  ['a plain class', {}, []],
  ['nobody to provision', { provisioner: '' }, ['provisioner: Required value']],
  [
    'unknown policies',
    { reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' },
    [
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ],
])('%s', (_, rest, expected) => {
  expect(problems(storageClassStrategy, storageClass(rest))).toEqual(expected);
});

test('only expansion, mount options and topology may change', () => {
  expect(changeProblems(storageClassStrategy, storageClass({ allowVolumeExpansion: true }), storageClass())).toEqual(
    [],
  );
  const other = {
    provisioner: 'x',
    parameters: { a: 'b' },
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  expect(changeProblems(storageClassStrategy, storageClass(other), storageClass())).toEqual([
    'parameters: Forbidden: updates to parameters are forbidden.',
    'provisioner: Forbidden: updates to provisioner are forbidden.',
    'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
    'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
  ]);
});
