import { type FieldError, type Kind, SubjectAccessReview, type UnknownObject } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { clusterConfig } from '@vireo/hypervisor';
import type { ApiRequest, Client } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { vmWith } from '../testing/vms.ts';
import { review } from './review.ts';
import type { AdmissionRule } from './rule.ts';
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
  vmWith({ runStrategy, template: templateOf(model, guest) });
const labelled = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { tier: 'web' } },
});
/** The instance type gives memory; the preference asks for more than it has. */
const typed = (runStrategy: string, matchers: object, model = 'Nehalem') => {
  const template = { spec: { domain: { devices: {}, ...(model && { cpu: { model } }) } } };
  return vmWith({ runStrategy, template, ...matchers });
};
const SMALL = { instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } };
const GREEDY = { ...SMALL, preference: { name: 'greedy', kind: 'VirtualMachinePreference' } };
const GONE = { preference: { name: 'gone', kind: 'VirtualMachinePreference' } };
const UNKNOWN = { instancetype: { name: 'small', kind: 'Odd' } };
const withMemory = (vm: ReturnType<typeof vmWith>) => {
  const { domain } = vm.spec.template.spec ?? { domain: { devices: {} } };
  return { ...vm, spec: { ...vm.spec, template: { spec: { domain: { ...domain, memory: { guest: '64Mi' } } } } } };
};
/** A disk that is copied from a namespace that jane may not read. */
const foreign = (vm: ReturnType<typeof vmWith>) => {
  const spec = { source: { pvc: { namespace: 'victim', name: 'secrets' } }, storage: {} };
  const { domain } = vm.spec.template.spec ?? { domain: { devices: {} } };
  const template = { ...vm.spec.template, spec: { domain, volumes: [{ name: 'disk', dataVolume: { name: 'copy' } }] } };
  return { ...vm, spec: { ...vm.spec, template, dataVolumeTemplates: [{ metadata: { name: 'copy' }, spec }] } };
};
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

const STORED: Readonly<Record<string, object>> = {
  small: { spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } } },
  greedy: { spec: { requirements: { memory: { guest: '4Gi' } } } },
};
const client = {
  of: ({ plural: resource }: Kind) => ({
    find: async (name: string) => STORED[name],
    create: async (object: object) => {
      if (resource !== SubjectAccessReview.plural) throw new TypeError(`nobody creates ${resource}`);
      return { ...object, status: { allowed: false } };
    },
  }),
} as unknown as Client;

interface Refusal {
  readonly code: number;
  readonly message: string;
}

const update = async (path: string, oldObject: object, object: object): Promise<string | undefined> =>
  (await refusalOf(path, oldObject, object))?.message;

async function refusalOf(
  path: string,
  oldObject: object,
  object: object,
  rules: readonly AdmissionRule[] = RULES,
): Promise<Refusal | undefined> {
  const [group = '', version = ''] = (object as UnknownObject).apiVersion.split('/');
  const kind = { group, version, kind: (object as UnknownObject).kind };
  const userInfo = { username: 'jane', groups: [] };
  const value = { request: { uid: '1', operation: 'UPDATE', kind, userInfo, object, oldObject } };
  const request: ApiRequest = {
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers: {},
    user: { username: 'system:apiserver', groups: [] },
    body: async () => ({ value, contentType: 'application/json' }),
    signal: new AbortController().signal,
  };
  const context = { config: async () => config, client };
  const reply = await review(rules, context, request);
  if (reply.type !== 'object') throw new TypeError('an AdmissionReview is JSON');
  const { response } = reply.object() as { response: { allowed: boolean; status?: Refusal } };
  return response.allowed ? undefined : response.status;
}

const VM = '/virtualmachines-validate';
const SET = '/virtualmachinereplicasets-validate';
const POOL = '/virtualmachinepool-validate';

describe('an object that obeyed the rules of another hypervisor', () => {
  it.each<[what: string, path: string, before: object, after: object]>([
    ['a VM can be labelled', VM, vm('Always'), labelled(vm('Always'))],
    ['a VM can be stopped', VM, vm('Always'), vm('Halted')],
    ['a VM can be given more memory', VM, vm('Always'), vm('Always', 'Nehalem', '128Mi')],
    ['a VM can be mended', VM, vm('Halted'), vm('Always', 'host-passthrough')],
    ['a VM with an instance type can be stopped', VM, typed('Always', SMALL), typed('Halted', SMALL)],
    ['a VM with an instance type can be labelled', VM, typed('Always', SMALL), labelled(typed('Always', SMALL))],
    ['a VM whose instance type is too small can be stopped', VM, typed('Always', GREEDY), typed('Halted', GREEDY)],
    ['a VM whose type is of no kind can be stopped', VM, typed('Always', UNKNOWN), typed('Halted', UNKNOWN)],
    [
      'a VM whose preference is gone can be stopped',
      VM,
      withMemory(typed('Always', GONE)),
      withMemory(typed('Halted', GONE)),
    ],
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
    ['a model in a VM whose instance type is too small', VM, typed('Always', GREEDY, ''), typed('Always', GREEDY)],
    ['a model in a VM whose type is of no kind', VM, typed('Always', UNKNOWN, ''), typed('Always', UNKNOWN)],
    ['a template that changes', SET, replicaSet(3), replicaSet(3, 'Haswell')],
  ])('is refused what it makes wrong: %s', async (_what, path, before, after) => {
    expect(await update(path, before, after)).toMatch(/domain\.cpu\.model: hyperv-layered exposes the CPU of the host/);
  });

  it.each<[what: string, vm: ReturnType<typeof vmWith>]>([
    ['has a model of a processor that there is not', vm('Halted')],
    ['has no memory', vmWith({ template: { spec: { domain: { devices: {} } } } })],
    ['has an instance type that is too small', typed('Halted', GREEDY)],
    ['has an instance type of no kind', typed('Halted', UNKNOWN)],
  ])('a VM that %s gets no copy of a disk that its writer may not read', async (_what, before) => {
    expect(await update(VM, before, labelled(before))).toBeUndefined();
    expect(await update(VM, before, foreign(before))).toBe(
      'User jane has insufficient permissions in clone source namespace victim',
    );
  });

  it('a pool gets no copy of a disk that its writer may not read', async () => {
    const pool = ({ spec }: ReturnType<typeof vmWith>) => ({
      apiVersion: 'pool.kubevirt.io/v1beta1',
      kind: 'VirtualMachinePool',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        virtualMachineTemplate: { metadata: { labels: { app: 'web' } }, spec },
      },
    });
    const before = vm('Halted');
    expect(
      await update(POOL, pool(before), { ...pool(before), metadata: { name: 'web', labels: { seen: 'yes' } } }),
    ).toBeUndefined();
    expect(await update(POOL, pool(before), pool(foreign(before)))).toBe(
      'User jane has insufficient permissions in clone source namespace victim',
    );
  });

  it('a replica set without a template gets no number below zero', async () => {
    const without = (replicas: number) => {
      const set = replicaSet(replicas);
      return { ...set, spec: { ...set.spec, template: {} } };
    };
    expect(await update(SET, without(1), without(-1))).toMatch(/spec\.replicas is -1/);
  });
});

describe('what could not be checked', () => {
  let looks = 0;
  const errors = (wrong: FieldError[]): AdmissionRule[] => [
    {
      type: 'validating',
      webhook: 'x.kubevirt.io',
      path: VM,
      kinds: [VirtualMachine],
      operations: ['UPDATE'],
      validate: async () => {
        looks += 1;
        const text = `plug-in: no answer to question ${looks}`;
        return { errors: [{ type: 'InternalError', field: 'spec.template.spec', text }, ...wrong] };
      },
    },
  ];

  it('keeps nobody from stopping a VM, and is worth another try where it is about what changes', async () => {
    expect(await refusalOf(VM, vm('Always'), vm('Halted'), errors([]))).toBeUndefined();
    expect(await refusalOf(VM, vm('Always'), vm('Always', 'Haswell'), errors([]))).toMatchObject({ code: 500 });
  });

  it('is reported with what is wrong for certain', async () => {
    const wrong: FieldError = { type: 'FieldValueInvalid', field: 'spec.template', text: 'no' };
    expect(await refusalOf(VM, vm('Always'), vm('Always', 'Haswell'), errors([wrong]))).toMatchObject({ code: 422 });
  });
});
