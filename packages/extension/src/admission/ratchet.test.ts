import type { UnknownObject } from '@vireo/api';
import { clusterConfig } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceRequest } from '../http.ts';
import { machine } from '../testing/machines.ts';
import { review } from './review.ts';
import { RULES } from './rules.ts';

/** The installation was switched to hyperv-layered, which knows no models of processors. */
const config = {
  ...clusterConfig(undefined),
  hypervisor: 'hyperv-layered',
};

const templateOf = (model: string, guest = '64Mi') => ({
  metadata: { labels: { app: 'web' } },
  spec: { domain: { devices: {}, cpu: { model }, memory: { guest } } },
});
const vm = (runStrategy: string, model = 'Nehalem', guest = '64Mi') =>
  machine({ runStrategy, template: templateOf(model, guest) });
const labelled = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { tier: 'web' } },
});
const replicaSet = (replicas: number, model = 'Nehalem') => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstanceReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: templateOf(model) },
});
const instancetype = (cpus: number, labels = {}) => ({
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineInstancetype',
  metadata: { name: 'odd', namespace: 'default', labels },
  spec: { cpu: { guest: cpus }, memory: { guest: '1Gi', overcommitPercent: 20, hugepages: { pageSize: '2Mi' } } },
});

async function update(path: string, oldObject: object, object: object): Promise<string | undefined> {
  const [group = '', version = ''] = (object as UnknownObject).apiVersion.split('/');
  const kind = { group, version, kind: (object as UnknownObject).kind };
  const userInfo = { username: 'jane', groups: [] };
  const value = { request: { uid: '1', operation: 'UPDATE', kind, userInfo, object, oldObject } };
  const request: ServiceRequest = {
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers: {},
    user: { username: 'system:apiserver', groups: [] },
    body: async () => ({ value, contentType: 'application/json' }),
    signal: new AbortController().signal,
  };
  const world = { config: async () => config, client: undefined as unknown as Client };
  const answer = await review(RULES, world, request);
  if (answer.type !== 'object') throw new TypeError('an AdmissionReview is JSON');
  const { response } = answer.object() as { response: { allowed: boolean; status?: { message: string } } };
  return response.allowed ? undefined : response.status?.message;
}

const VM = '/virtualmachines-validate';
const SET = '/virtualmachinereplicasets-validate';

describe('an object that obeyed the rules of another hypervisor', () => {
  it.each<[what: string, path: string, before: object, after: object]>([
    ['a VM can be labelled', VM, vm('Always'), labelled(vm('Always'))],
    ['a VM can be stopped', VM, vm('Always'), vm('Halted')],
    ['a VM can be given more memory', VM, vm('Always'), vm('Always', 'Nehalem', '128Mi')],
    ['a VM can be mended', VM, vm('Halted'), vm('Always', 'host-passthrough')],
    ['a replica set can be scaled', SET, replicaSet(3), replicaSet(0)],
    ['a replica set can be labelled', SET, replicaSet(3), labelled(replicaSet(3))],
    [
      'an instance type can be labelled',
      '/virtualmachineinstancetypes-validate',
      instancetype(1),
      instancetype(1, { a: 'b' }),
    ],
  ])('%s', async (_what, path, before, after) => {
    expect(await update(path, before, after)).toBeUndefined();
  });

  it.each<[what: string, path: string, before: object, after: object]>([
    ['a model that comes new', VM, vm('Always', 'host-passthrough'), vm('Always')],
    ['another model that there is not either', VM, vm('Always'), vm('Always', 'Haswell')],
    ['a VM that is switched on', VM, vm('Halted'), vm('Always')],
    ['a template that changes', SET, replicaSet(3), replicaSet(3, 'Haswell')],
  ])('is refused what it makes wrong: %s', async (_what, path, before, after) => {
    expect(await update(path, before, after)).toMatch(/domain\.cpu\.model: hyperv-layered shows guests the processor/);
  });
});
