import type { CustomResourceDefinition } from '@vireo/api';
import { expect, it } from 'vitest';
import { removableCrds } from './uninstall.ts';

const crd = (group: string, name: string) => ({ name, spec: { group } as CustomResourceDefinition['spec'] });
const all = [
  crd('kubevirt.io', 'vms'),
  crd('snapshot.storage.k8s.io', 'classes'),
  crd('snapshot.storage.k8s.io', 'snapshots'),
];
const names = (isFree: boolean[]) => removableCrds(all, isFree).map(({ name }) => name);

it('the CRDs of a group go together, or stay while one of them is used', () => {
  expect(names([true, true, true])).toEqual(['vms', 'classes', 'snapshots']);
  expect(names([true, false, true])).toEqual(['vms']);
});
