import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import { restartRequired } from './restartRequired.ts';

type TemplateSpec = NonNullable<Vm['spec']['template']['spec']>;
const specWith = (changed: Partial<TemplateSpec>, rest: Partial<Vm['spec']> = {}): Vm['spec'] => {
  const { spec } = vmWith(rest);
  return { ...spec, template: { ...spec.template, spec: { ...(spec.template.spec as TemplateSpec), ...changed } } };
};

it.each<[needed: boolean, what: string, Vm['spec']]>([
  [false, 'nothing changed', specWith({})],
  [false, 'the run strategy', specWith({}, { runStrategy: 'Manual' })],
  [false, 'labels of the template', { ...specWith({}), template: { metadata: {}, spec: specWith({}).template.spec } }],
  [false, 'the node selector', specWith({ nodeSelector: { zone: 'a' } })],
  [false, 'the affinity', specWith({ affinity: {} })],
  [false, 'the tolerations', specWith({ tolerations: [{ operator: 'Exists' }] })],
  [true, 'the processors', specWith({ domain: { devices: {}, firmware: { uuid: 'u' }, cpu: { cores: 2 } } })],
  [false, 'the sockets', specWith({ domain: { devices: {}, firmware: { uuid: 'u' }, cpu: { sockets: 2 } } })],
  [false, 'the memory', specWith({ domain: { devices: {}, firmware: { uuid: 'u' }, memory: { guest: '1Gi' } } })],
  [true, 'its limit', specWith({ domain: { devices: {}, firmware: { uuid: 'u' }, memory: { maxGuest: '1Gi' } } })],
  [true, 'the volumes', specWith({ volumes: [{ name: 'v', emptyDisk: { capacity: '1Gi' } }] })],
  [true, 'the grace period', specWith({ terminationGracePeriodSeconds: 5 })],
])('%s: %s', (needed, _, current) => {
  expect(restartRequired(specWith({}), current, vmiWith(), { isStaged: false }) !== undefined).toBe(needed);
});

it('sockets and memory wait for a restart where changes are staged', () => {
  const domain = { devices: {}, firmware: { uuid: 'u' }, memory: { guest: '1Gi' } };
  expect(restartRequired(specWith({}), specWith({ domain }), vmiWith(), { isStaged: true })).toBeDefined();
});

it('no restart is required where it is not known what the VMI was started from', () => {
  expect(restartRequired(undefined, specWith({}), vmiWith(), { isStaged: false })).toBeUndefined();
});
