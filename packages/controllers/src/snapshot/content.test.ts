import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { vmWith } from '../testing/objects.ts';
import { contentFor } from './content.ts';
import type { Snapshot } from './kinds.ts';

const snapshot: Snapshot = persisted({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshot',
  metadata: { name: 'now', namespace: 'shop' },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
});
const template = (...names: string[]) => ({
  spec: {
    domain: { devices: { interfaces: names.map((name) => ({ name, bridge: {} })) } },
    networks: names.map((name) => ({ name, multus: { networkName: name } })),
  },
});
const kept = (conditions: { type: string; status: 'True' }[]) => {
  const vm = vmWith({ template: template('a', 'plugged') }, { conditions });
  const { spec } = contentFor(snapshot, vm, [], { ...vm.spec, template: template('a') });
  const { domain, networks } = spec.source.virtualMachine?.spec?.template.spec ?? {};
  return [domain?.devices.interfaces, networks].map((all) => all?.map(({ name }) => name));
};

it('a snapshot of a running VM has the cards that were plugged in, and not those that wait for a restart', () => {
  expect(kept([])).toEqual([
    ['a', 'plugged'],
    ['a', 'plugged'],
  ]);
  expect(kept([{ type: 'RestartRequired', status: 'True' }])).toEqual([['a'], ['a']]);
});
