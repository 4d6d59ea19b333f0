import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { lookupOf, object } from '../testing/graphLookup.ts';
import { vmWith } from '../testing/vms.ts';
import { graphOfVm } from './graph.ts';
import { render } from './render.ts';

/** The VM of the proposal that the list forms come from: its answers are compared whole. */
const name = 'vm-cirros-source-ocs';
const disk = 'cirros-dv-source-ocs';
const pod = 'virt-launcher-vm-cirros-source-ocs-frn9h';
const vm = persisted({
  ...vmWith({
    runStrategy: 'Always',
    template: { spec: { domain: { devices: {} }, volumes: [{ name: 'root', dataVolume: { name: disk } }] } },
  }),
  metadata: { name, namespace: 'default' },
});
const vmi = persisted({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name, namespace: 'default' },
  spec: { domain: { devices: {} }, volumes: [{ name: 'root', dataVolume: { name: disk } }] },
});
const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid: 'vmi-uid' };
const lookup = lookupOf([
  object('kubevirt.io/v1 VirtualMachineInstance', name),
  object('v1 Pod', pod, { metadata: { ownerReferences: [owner] } }),
  object('cdi.kubevirt.io/v1beta1 DataVolume', disk, { spec: { source: { blank: {} } } }),
  object('v1 PersistentVolumeClaim', disk, { spec: {} }),
]);

const reference = (apiGroup: string, kind: string, called: string) => ({
  apiGroup,
  kind,
  name: called,
  namespace: 'default',
});

it('the hierarchical form is that of the proposal', async () => {
  expect(render(await graphOfVm(vm, vmi, lookup), 'hierarchical')).toEqual({
    items: [
      {
        objectReference: reference('kubevirt.io', 'virtualmachineinstances', name),
        labels: {},
        optional: false,
        children: [{ objectReference: reference('', 'pods', pod), labels: {}, optional: false, children: [] }],
      },
      {
        objectReference: reference('cdi.kubevirt.io', 'datavolumes', disk),
        labels: { type: 'storage' },
        optional: false,
        children: [
          {
            objectReference: reference('', 'persistentvolumeclaims', disk),
            labels: { type: 'storage' },
            optional: false,
            children: [],
          },
        ],
      },
    ],
  });
});

it('the flat form is that of the proposal', async () => {
  const item = (apiGroup: string, kind: string, called: string, type: string) => ({
    objectReference: reference(apiGroup, kind, called),
    labels: { type, optional: 'false' },
  });
  expect(render(await graphOfVm(vm, vmi, lookup), 'flat')).toEqual({
    items: [
      item('kubevirt.io', 'virtualmachineinstances', name, ''),
      item('', 'pods', pod, ''),
      item('cdi.kubevirt.io', 'datavolumes', disk, 'storage'),
      item('', 'persistentvolumeclaims', disk, 'storage'),
    ],
  });
});
