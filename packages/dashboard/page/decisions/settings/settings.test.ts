import { expect, it } from 'vitest';
import { apiValue, FIELDS, fieldKey, fieldProblem, shownValue } from './fields.ts';
import { gatesOf, withGate } from './gates.ts';
import { fieldOf, patchFor } from './patch.ts';

const field = (key: string) => {
  const found = FIELDS.find((each) => fieldKey(each) === key);
  if (!found) throw new Error(`no field ${key}`);
  return found;
};
const kubeVirt = (configuration?: Record<string, unknown>) => ({
  metadata: { name: 'kubevirt', generation: 3 },
  spec: configuration ? { configuration } : {},
});
const test = { op: 'test', path: '/metadata/generation', value: 3 };

it('what is set is shown, and what is not is empty', () => {
  expect(shownValue({ migrations: { progressTimeout: 9 } }, field('migrations.progressTimeout'))).toBe('9');
  expect(shownValue(undefined, field('migrations.progressTimeout'))).toBe('');
});

it('texts become values, and an empty one removes the field', () => {
  expect(apiValue(field('migrations.progressTimeout'), '9')).toBe(9);
  expect(apiValue(field('migrations.allowPostCopy'), 'false')).toBe(false);
  expect(apiValue(field('cpuModel'), ' EPYC ')).toBe('EPYC');
  expect(apiValue(field('cpuModel'), '')).toBeUndefined();
  expect(fieldProblem(field('migrations.progressTimeout'), '1.5')).toContain('whole number');
});

it('parents that are missing are added once', () => {
  const edits = [
    { path: ['migrations', 'progressTimeout'], value: 9 },
    { path: ['migrations', 'allowPostCopy'], value: true },
  ];
  expect(patchFor(kubeVirt(), edits)).toEqual([
    test,
    { op: 'add', path: '/spec/configuration', value: {} },
    { op: 'add', path: '/spec/configuration/migrations', value: {} },
    { op: 'add', path: '/spec/configuration/migrations/progressTimeout', value: 9 },
    { op: 'add', path: '/spec/configuration/migrations/allowPostCopy', value: true },
  ]);
});

it('a field is removed only if it is there', () => {
  const edit = [{ path: ['cpuModel'], value: undefined }];
  expect(patchFor(kubeVirt({ cpuModel: 'EPYC' }), edit)).toEqual([
    test,
    { op: 'remove', path: '/spec/configuration/cpuModel' },
  ]);
  expect(patchFor(kubeVirt({}), edit)).toEqual([test]);
});

it('a complaint of the server finds its field', () => {
  const keys = FIELDS.map(fieldKey);
  expect(fieldOf('spec.configuration.migrations.progressTimeout', keys)).toBe('migrations.progressTimeout');
  expect(fieldOf('spec.imageTag', keys)).toBeUndefined();
});

it('gates that are set come first, and setting one leaves the others', () => {
  const configuration = { developerConfiguration: { featureGates: ['VSOCK', 'Mine'], disabledFeatureGates: ['NUMA'] } };
  expect(
    gatesOf(configuration)
      .slice(0, 3)
      .map(({ name, setting }) => [name, setting]),
  ).toEqual([
    ['Mine', 'enabled'],
    ['NUMA', 'disabled'],
    ['VSOCK', 'enabled'],
  ]);
  expect(withGate(configuration, 'VSOCK', 'disabled')).toEqual({
    featureGates: ['Mine'],
    disabledFeatureGates: ['NUMA', 'VSOCK'],
  });
});
