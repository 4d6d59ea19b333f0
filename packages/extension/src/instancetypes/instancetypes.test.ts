import { ControllerRevision, PersistentVolumeClaim } from '@vireo/api';
import * as kubevirt from '@vireo/api/kinds/kubevirt/index.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vmValidation } from '../admission/virtualMachine.ts';
import { type Installation, install } from '../testing/installation.ts';

let installation: Installation;
const client = () => installation.server.client;
const NAMESPACE = 'default';
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  installation = await install();
  const { VirtualMachineClusterInstancetype, VirtualMachineInstancetype, VirtualMachineClusterPreference } = kubevirt;
  const small = { cpu: { guest: 2 }, memory: { guest: '256Mi' } };
  await client()
    .of(VirtualMachineClusterInstancetype)
    .create({ metadata: { name: 'small' }, spec: small });
  await client()
    .of(VirtualMachineInstancetype)
    .create({ metadata: { name: 'ours', ...at }, spec: { ...small, cpu: { guest: 4 } } });
  await client()
    .of(VirtualMachineClusterPreference)
    .create({
      metadata: { name: 'cores' },
      spec: {
        cpu: { preferredCPUTopology: 'cores' },
        machine: { preferredMachineType: 'pc-q35-9.0' },
        requirements: { cpu: { guest: 2 } },
        devices: { preferredDiskBus: 'virtio' },
      },
    });
});
afterAll(() => installation?.close());

const vms = () => client().of(kubevirt.VirtualMachine);
type Spec = kubevirt.VirtualMachine['spec'];
const domain = { devices: { autoattachPodInterface: false } };

const vm = (name: string, spec: Partial<Spec>, template: Partial<NonNullable<Spec['template']['spec']>> = {}) => ({
  metadata: { name, ...at },
  spec: { runStrategy: 'Halted', template: { spec: { domain, ...template } }, ...spec },
});

const refusal = (message: string, causes: object[] = []) => ({
  code: 422,
  message: `admission webhook "virtualmachine-validator.kubevirt.io" denied the request: ${message}`,
  ...(causes.length > 0 && { status: { details: { causes } } }),
});

describe('a VM that names an instance type', () => {
  it('is admitted as it is; its preference decides on the kind of computer', async () => {
    const { spec } = await vms().create(vm('web', { instancetype: { name: 'small' }, preference: { name: 'cores' } }));
    expect(spec).toMatchObject({ instancetype: { name: 'small' }, preference: { name: 'cores' } });
    expect(spec.template.spec?.domain).toMatchObject({ machine: { type: 'pc-q35-9.0' } });
    expect(spec.template.spec?.domain).not.toHaveProperty('memory');
    expect(spec.template.spec?.domain).not.toHaveProperty('cpu');
  });

  it.each<[string, Partial<Spec>, string, string]>([
    [
      'is of no such kind',
      { instancetype: { name: 'small', kind: 'Flavor' } },
      'Failure to find instancetype: got unexpected kind in InstancetypeMatcher: Flavor',
      'spec.instancetype',
    ],
    [
      'gives what the VM says itself, although the preference does not exist',
      {
        instancetype: { name: 'small' },
        preference: { name: 'none' },
        template: { spec: { domain: { ...domain, cpu: { cores: 1 } } } },
      },
      'VM field(s) spec.template.spec.domain.cpu.cores conflicts with selected instance type',
      'spec.template.spec.domain.cpu.cores',
    ],
    [
      'gives what the VM says itself',
      { instancetype: { name: 'small' }, template: { spec: { domain: { ...domain, cpu: { cores: 1 } } } } },
      'VM field(s) spec.template.spec.domain.cpu.cores conflicts with selected instance type',
      'spec.template.spec.domain.cpu.cores',
    ],
  ])('is refused where the type %s', async (_, spec, message, field) => {
    await expect(vms().create(vm('bad', spec))).rejects.toMatchObject(refusal(message, [{ field }]));
  });

  it.each<[string, Partial<Spec>, string]>([
    [
      'an instance type',
      { instancetype: { name: 'large' } },
      'spec.instancetype: virtualmachineclusterinstancetypes.instancetype.kubevirt.io "large" not found',
    ],
    [
      'a preference',
      { instancetype: { name: 'small' }, preference: { name: 'none', kind: 'VirtualMachinePreference' } },
      'spec.preference: virtualmachinepreferences.instancetype.kubevirt.io "none" not found',
    ],
    [
      'a revision',
      { instancetype: { name: 'small', revisionName: 'gone' } },
      'spec.instancetype: controllerrevisions.apps "gone" not found',
    ],
  ])('is admitted with a warning where %s does not exist yet', async (_, spec, warning) => {
    const draft = vm('early', spec);
    const object = (await vms().create(draft, { dryRun: true })) as kubevirt.VirtualMachine;
    const user = { username: 'jane', groups: [] };
    const context = { client: client(), config: async () => clusterConfig(undefined) };
    expect(await vmValidation.validate({ operation: 'CREATE', object, user }, context)).toEqual({
      errors: [],
      warnings: [`${warning}. The virtual machine can start once it exists.`],
    });
  });

  it('is refused where it is too small for its preference', async () => {
    const template = { spec: { domain: { ...domain, cpu: { cores: 1 }, memory: { guest: '64Mi' } } } };
    await expect(vms().create(vm('bad', { preference: { name: 'cores' }, template }))).rejects.toMatchObject(
      refusal(
        'failure checking preference requirements: insufficient CPU resources of 1 vCPU provided by VirtualMachine, preference requires 2 vCPU provided as cores',
      ),
    );
  });

  it('is checked together with it', async () => {
    const spec = { devices: { preferredDiskBus: 'teletype' } };
    await client()
      .of(kubevirt.VirtualMachineClusterPreference)
      .create({ metadata: { name: 'odd' }, spec });
    const volumes = [{ name: 'root', emptyDisk: { capacity: '1Gi' } }];
    const odd = vm('bad', { instancetype: { name: 'small' }, preference: { name: 'odd' } }, { volumes });
    await expect(vms().create(odd)).rejects.toMatchObject({ code: 422, message: expect.stringContaining('teletype') });
  });

  it('can be changed after the type is gone', async () => {
    const types = client().of(kubevirt.VirtualMachineClusterInstancetype);
    await types.create({ metadata: { name: 'fleeting' }, spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } } });
    await vms().create(vm('left', { instancetype: { name: 'fleeting' } }));
    await types.delete('fleeting');
    const merge = { ...at, type: 'merge' } as const;
    await vms().patch('left', { metadata: { labels: { a: 'b' } } }, merge);
    const changed = await vms().patch('left', { spec: { runStrategy: 'Manual' } }, merge);
    expect(changed).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { runStrategy: 'Manual' } });
  });
});

describe('a VM without memory', () => {
  const message =
    "no memory requested, at least one of 'spec.template.spec.domain.memory.guest', 'spec.template.spec.domain.memory.hugepages.size' or 'spec.template.spec.domain.resources.requests.memory' must be set";

  it.each<[string, Partial<Spec>]>([
    ['no instance type', {}],
    ['only a preference', { preference: { name: 'later' } }],
  ])('is refused where it has %s', async (_, spec) => {
    await expect(vms().create(vm('thin', spec))).rejects.toMatchObject(
      refusal(message, [{ field: 'spec.template.spec.domain.memory.guest' }]),
    );
  });

  it('is admitted where its limits or a preset give it some', async () => {
    const limited = { domain: { ...domain, resources: { limits: { memory: '64Mi' } } } };
    await vms().create(vm('limited', {}, limited), { dryRun: true });
    await client()
      .of(kubevirt.VirtualMachineInstancePreset)
      .create({
        metadata: { name: 'roomy', ...at },
        spec: {
          selector: { matchLabels: { size: 'preset' } },
          domain: { devices: {}, resources: { requests: { memory: '64Mi' } } },
        },
      });
    const template = { metadata: { labels: { size: 'preset' } }, spec: { domain } };
    await vi.waitFor(() => vms().create(vm('preset', { template }), { dryRun: true }));
  });
});

describe('a VM that leaves the choice to its volume', () => {
  const labels = {
    'instancetype.kubevirt.io/default-instancetype': 'ours',
    'instancetype.kubevirt.io/default-instancetype-kind': 'VirtualMachineInstancetype',
    'instancetype.kubevirt.io/default-preference': 'cores',
  };
  const claim = (name: string, labels: Record<string, string> = {}) =>
    client()
      .of(PersistentVolumeClaim)
      .create({
        metadata: { name, ...at, labels },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
  const fromClaim = (claimName: string) => ({
    volumes: [{ name: 'root', persistentVolumeClaim: { claimName } }],
  });
  const both = { instancetype: { inferFromVolume: 'root' }, preference: { inferFromVolume: 'root' } };

  beforeAll(async () => {
    await claim('labelled', labels);
    await claim('plain');
  });

  it('takes it from the labels of the claim', async () => {
    const { spec } = await vms().create(vm('by-claim', both, fromClaim('labelled')));
    expect(spec.instancetype).toEqual({ name: 'ours', kind: 'VirtualMachineInstancetype' });
    expect(spec.preference).toEqual({ name: 'cores' });
  });

  it('follows a DataVolume to its claim', async () => {
    const volumes = [{ name: 'root', dataVolume: { name: 'labelled' } }];
    const { spec } = await vms().create(vm('by-volume', both, { volumes }));
    expect(spec.preference).toEqual({ name: 'cores' });
  });

  it.each([
    ['unable to find required instancetype.kubevirt.io/default-instancetype label on the volume', fromClaim('plain')],
    ['persistentvolumeclaims "none" not found', fromClaim('none')],
    ['unable to find volume root to infer defaults', {}],
    [
      'unable to infer defaults from volume root as type is not supported',
      { volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] },
    ],
  ])('is refused: %s', async (message, template) => {
    await expect(vms().create(vm('bad', both, template))).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(message),
    });
  });

  it('need not mind that the volume names none, and then has memory of its own', async () => {
    const relaxed = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' };
    const withMemory = { domain: { ...domain, memory: { guest: '64Mi' } } };
    const create = (name: string, claimName: string) =>
      vms().create(vm(name, { instancetype: relaxed }, { ...withMemory, ...fromClaim(claimName) }));
    const plain = await create('relaxed', 'plain');
    expect(plain.spec).not.toHaveProperty('instancetype');
    expect(plain.spec.template.spec?.domain.memory).toEqual({ guest: '64Mi' });
    const labelled = await create('labelled', 'labelled');
    expect(labelled.spec.instancetype).toMatchObject({ name: 'ours' });
    expect(labelled.spec.template.spec?.domain).not.toHaveProperty('memory');
  });
});

describe('expansion', () => {
  const SUB = `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}`;
  const asked = async (method: 'GET' | 'PUT', path: string, body?: unknown, groups = ['system:masters']) =>
    installation.server
      .inProcess({ username: 'jane', groups: [...groups, 'system:authenticated'] })
      .call({ method, path: `${SUB}/${path}`, body });
  const expanded = { spec: { template: { spec: { domain: { cpu: { cores: 2 }, memory: { guest: '256Mi' } } } } } };

  it('writes the type of a VM out', async () => {
    const { status, body } = await asked('GET', 'virtualmachines/web/expand-spec');
    expect({ status, body }).toMatchObject({ status: 200, body: expanded });
    expect((body as { spec: object }).spec).not.toHaveProperty('instancetype');
    expect((body as { spec: object }).spec).not.toHaveProperty('preference');
  });

  it('is of the revision that the VM has, whatever became of the type', async () => {
    await client()
      .of(ControllerRevision)
      .create({
        metadata: { name: 'old', ...at },
        revision: 0,
        data: { spec: { cpu: { guest: 1 }, memory: { guest: '32Mi' } } },
      });
    await vms().create(vm('kept', { instancetype: { name: 'small', revisionName: 'old' } }));
    expect(await asked('GET', 'virtualmachines/kept/expand-spec')).toMatchObject({
      body: { spec: { template: { spec: { domain: { memory: { guest: '32Mi' } } } } } },
    });
  });

  it('is to be had for a VM that does not exist', async () => {
    const body = vm('draft', { instancetype: { name: 'small' }, preference: { name: 'cores' } });
    expect(await asked('PUT', 'expand-vm-spec', body)).toMatchObject({ status: 200, body: expanded });
  });

  it.each<[string, object]>([
    ['Object is not a valid VirtualMachine', { kind: 'Pod' }],
    ['Object is not a valid VirtualMachine: spec.template is missing', { spec: {} }],
    ['VM namespace must be empty or default', { ...vm('x', {}), metadata: { namespace: 'other' } }],
    [
      'virtualmachineclusterinstancetypes.instancetype.kubevirt.io "large" not found',
      vm('x', { instancetype: { name: 'large' } }),
    ],
    [
      'VM field(s) spec.template.spec.domain.memory.guest conflicts with selected instance type',
      vm('x', { instancetype: { name: 'small' } }, { domain: { ...domain, memory: { guest: '1Gi' } } }),
    ],
  ])('is refused: %s', async (message, body) => {
    expect(await asked('PUT', 'expand-vm-spec', body)).toMatchObject({ status: 400, body: { message } });
  });

  it('shows nobody a type that they may not see', async () => {
    const rbac = { apiGroup: 'rbac.authorization.k8s.io' };
    await client().call({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      body: {
        metadata: { name: 'expanders' },
        rules: [{ apiGroups: ['subresources.kubevirt.io'], resources: ['expand-vm-spec'], verbs: ['update'] }],
      },
    });
    await client().call({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      body: {
        metadata: { name: 'expanders' },
        roleRef: { ...rbac, kind: 'ClusterRole', name: 'expanders' },
        subjects: [{ ...rbac, kind: 'Group', name: 'expanders' }],
      },
    });
    const body = vm('x', { instancetype: { name: 'ours', kind: 'VirtualMachineInstancetype' } });
    expect(await asked('PUT', 'expand-vm-spec', body, ['expanders'])).toMatchObject({ status: 403 });
  });
});

describe('what VMs can name', () => {
  it('is itself checked', async () => {
    const memory = { guest: '1Gi', overcommitPercent: 10, hugepages: { pageSize: '2Mi' } };
    const types = client().of(kubevirt.VirtualMachineClusterInstancetype);
    await expect(
      types.create({ metadata: { name: 'bad' }, spec: { cpu: { guest: 1 }, memory } }),
    ).rejects.toMatchObject({
      code: 422,
      message:
        'admission webhook "virtualmachineclusterinstancetype-validator.instancetype.kubevirt.io" denied the request: spec.memory.overcommitPercent and spec.memory.hugepages should not be requested together.',
    });
    const spread = { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads', ratio: 3 } } as const;
    const preferences = client().of(kubevirt.VirtualMachinePreference);
    await expect(preferences.create({ metadata: { name: 'bad', ...at }, spec: { cpu: spread } })).rejects.toMatchObject(
      {
        code: 422,
        message: expect.stringContaining('only a ratio of 2'),
      },
    );
  });
});
