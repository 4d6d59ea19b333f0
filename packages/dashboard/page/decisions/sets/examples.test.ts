import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { exampleOf } from './examples.ts';
import { POOLS, REPLICA_SETS } from './set.ts';

it.each([
  [REPLICA_SETS, 'template', 'shop', false, 'quay.io/kubevirt/cirros-container-disk-demo'],
  [POOLS, 'virtualMachineTemplate', undefined, true, 'vireo/guest'],
] as const)('an example of $0.title selects its own machines', (kind, template, namespace, isVireo, image) => {
  const { apiVersion, metadata, spec } = parse(exampleOf(kind, { namespace, isVireo }));
  expect(`${apiVersion} ${metadata.namespace}`).toBe(`${kind.group}/${kind.version} ${namespace}`);
  expect(spec[template].metadata.labels).toEqual(spec.selector.matchLabels);
  const machine = kind === POOLS ? spec[template].spec.template : spec[template];
  expect(machine.spec.volumes).toEqual([{ name: 'root', containerDisk: { image } }]);
  expect(machine.spec.domain.devices.disks[0].name).toBe('root');
  // VMIs of a pool are found by the labels of its VMs.
  expect(machine.metadata.labels).toEqual(spec.selector.matchLabels);
});
