import { ApiError, type Kind, type UnknownObject } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import * as kubevirt from '@vireo/api/kinds/kubevirt/index.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { propagateDeletionGrace } from './deletionGrace.ts';
import { UNSUPPORTED_KINDS } from './unsupportedKinds.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation?.close());

const at = { namespace: 'default' };
const WAIT = { timeout: 20_000 };
const client = () => installation.server.client;
const memory = { guest: '64Mi' };
const vm = (name: string, spec: object = {}) => ({
  metadata: { name, namespace: 'default' },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory } } }, ...spec },
});

describe('on a server', () => {
  it('a new VM has its identity and its kind of computer', async () => {
    const { spec } = await client().of(kubevirt.VirtualMachine).create(vm('web'));
    expect(spec.template.spec).toMatchObject({
      architecture: 'amd64',
      domain: { machine: { type: 'q35' }, firmware: { uuid: expect.any(String) } },
    });
  });

  it('a bad VM is refused under the name of KubeVirt’s webhook', async () => {
    const bad = vm('bad', { runStrategy: 'Sometimes' });
    await expect(client().of(kubevirt.VirtualMachine).create(bad)).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'admission webhook "virtualmachine-validator.kubevirt.io" denied the request: Invalid RunStrategy (Sometimes)',
      status: {
        details: {
          name: 'bad',
          kind: 'VirtualMachine',
          causes: [{ field: 'spec.runStrategy', reason: 'FieldValueInvalid' }],
        },
      },
    });
  });

  describe('quantities with a fraction are taken and written as text', () => {
    const domain = { devices: {}, memory, resources: { requests: { cpu: 2.2, memory: 1.5e9 } } };
    const written = { requests: { cpu: '2200m', memory: 1.5e9 } };
    const template = { metadata: { labels: { app: 'web' } }, spec: { domain } };
    const selector = { matchLabels: { app: 'web' } };
    const metadata = { name: 'fraction', namespace: 'default' };
    const cases: [Kind, object, object][] = [
      [
        kubevirt.VirtualMachine as never,
        { runStrategy: 'Halted', template },
        { template: { spec: { domain: { resources: written } } } },
      ],
      [kubevirt.VirtualMachineInstance as never, { domain }, { domain: { resources: written } }],
      [
        kubevirt.VirtualMachineInstanceReplicaSet as never,
        { replicas: 0, selector, template },
        { template: { spec: { domain: { resources: written } } } },
      ],
      [
        VirtualMachineInstancetype as never,
        { cpu: { guest: 1 }, memory: { guest: 1048576.5 } },
        { memory: { guest: '1048576500m' } },
      ],
      [
        VirtualMachineClusterInstancetype as never,
        { cpu: { guest: 1 }, memory: { guest: 1048576.5 } },
        { memory: { guest: '1048576500m' } },
      ],
    ];
    it.each(cases.map((each) => [each[0].kind, ...each] as const))('in a %s', async (_, kind, spec, expected) => {
      const of = client().of<UnknownObject>(kind as never);
      const made = await of.create({
        metadata: kind.namespaced ? metadata : { name: metadata.name },
        spec,
      } as never);
      expect(made.spec).toMatchObject(expected);
    });
  });

  it('a replica set of more VMIs than Go can count is refused', async () => {
    const spec = {
      replicas: 3_000_000_000,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { domain: { devices: {}, memory } } },
    };
    await expect(
      client()
        .of(kubevirt.VirtualMachineInstanceReplicaSet)
        .create({ metadata: { name: 'endless', namespace: 'default' }, spec }),
    ).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('must be of type integer with format int32 in spec.replicas'),
    });
  });

  it('a VM of the wrong shape is refused by its schema, with the field', async () => {
    const bad = vm('shapeless', { template: { spec: { domain: 'large' } } });
    await expect(
      client()
        .of(kubevirt.VirtualMachine)
        .create(bad as never),
    ).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.template.spec.domain'),
    });
  });

  it('a VMI has what presets for its labels give, unless they differ', async () => {
    const preset = (name: string, cores: number) => ({
      metadata: { name, ...at },
      spec: { selector: { matchLabels: { size: 'small' } }, domain: { devices: {}, cpu: { cores } } },
    });
    const presets = client().of(kubevirt.VirtualMachineInstancePreset);
    const vmis = client().of(kubevirt.VirtualMachineInstance);
    const create = (name: string) =>
      vmis.create({
        metadata: { name, ...at, labels: { size: 'small' } },
        spec: { domain: { devices: {}, memory } },
      });
    await presets.create(preset('one', 3));
    // The extension hears of it a moment later.
    await vi.waitFor(async () => {
      const { metadata, spec } = await create(`preset-${Date.now()}`);
      expect(spec.domain.cpu).toMatchObject({ cores: 3, sockets: 1 });
      expect(metadata.annotations).toMatchObject({ 'virtualmachinepreset.kubevirt.io/one': 'kubevirt.io/v1' });
    }, WAIT);
    await presets.create(preset('two', 4));
    await vi.waitFor(
      () =>
        expect(create(`conflict-${Date.now()}`)).rejects.toMatchObject({
          code: 422,
          message: expect.stringContaining("presets 'one' and 'two' differ in cpu"),
        }),
      WAIT,
    );
    for (const name of ['one', 'two']) await presets.delete(name, at);
  });

  it('a VM is of the architecture of the image that its disk is made of', async () => {
    const labels = { 'template.kubevirt.io/architecture': 'arm64' };
    const source = { pvc: { name: 'image', namespace: 'default' } };
    await client()
      .of(DataSource)
      .create({ metadata: { name: 'image', ...at, labels }, spec: { source } });
    const dataVolumeTemplates = [
      {
        metadata: { name: 'disk' },
        spec: {
          sourceRef: { kind: 'DataSource', name: 'image' },
          storage: { resources: { requests: { storage: '1Gi' } } },
        },
      },
    ];
    const volumes = [{ name: 'root', dataVolume: { name: 'disk' } }];
    const template = { spec: { domain: { devices: {}, memory }, volumes } };
    const { spec } = await client()
      .of(kubevirt.VirtualMachine)
      .create(vm('from-image', { dataVolumeTemplates, template }));
    expect(spec.template.spec).toMatchObject({ architecture: 'arm64', domain: { machine: { type: 'virt' } } });
  });

  it('a VMI starts out pending, and only the system moves it on', async () => {
    const vmis = client().of(kubevirt.VirtualMachineInstance);
    const created = await vmis.create({
      metadata: { name: 'vmi', namespace: 'default' },
      spec: { domain: { devices: {}, memory } },
    });
    expect(created.status?.phase).toBe('Pending');
    expect(created.metadata.finalizers).toEqual(['kubevirt.io/foregroundDeleteVirtualMachine']);
    const patched = await vmis.patch('vmi', { status: { phase: 'Running' } }, { ...at, type: 'merge' });
    expect(patched.status?.phase).toBe('Pending');
    await expect(
      vmis.patch('vmi', { spec: { domain: { memory: { guest: '1Gi' } } } }, { ...at, type: 'merge' }),
    ).rejects.toMatchObject({
      message:
        'admission webhook "virtualmachineinstances-update-validator.kubevirt.io" denied the request: update of VMI object is restricted',
    });
  });

  it('there is one installation, which VMs can keep from going', async () => {
    const kubevirts = client().of(kubevirt.KubeVirt);
    const object = { metadata: { name: 'kubevirt', namespace: 'kubevirt' } };
    await kubevirts.create({ ...object, spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } });
    await expect(
      kubevirts.create({ metadata: { name: 'second', namespace: 'kubevirt' }, spec: {} }),
    ).rejects.toMatchObject({ message: expect.stringContaining('KubeVirt is already created: kubevirt/kubevirt') });
    await expect(kubevirts.delete('kubevirt', { namespace: 'kubevirt' })).rejects.toMatchObject({
      message: expect.stringContaining('spec.uninstallStrategy is BlockUninstallIfWorkloadsExist'),
    });
    await kubevirts.patch(
      'kubevirt',
      { spec: { uninstallStrategy: 'RemoveWorkloads' } },
      { namespace: 'kubevirt', type: 'merge' },
    );
    await kubevirts.delete('kubevirt', { namespace: 'kubevirt' });
  });

  it('the settings of the installation reach new VMs', async () => {
    await client()
      .of(kubevirt.KubeVirt)
      .create({
        metadata: { name: 'kubevirt', namespace: 'kubevirt' },
        spec: { configuration: { machineType: 'pc-q35-7.2' } },
      });
    // The extension hears of the settings a moment later.
    for (let attempt = 0; ; attempt++) {
      const { spec } = await client()
        .of(kubevirt.VirtualMachine)
        .create(vm(`configured-${attempt}`));
      if (spec.template.spec?.domain.machine?.type === 'pc-q35-7.2') break;
    }
  });
});

describe('kinds that nothing acts on', () => {
  it.each(UNSUPPORTED_KINDS.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s',
    async (_, kind) => {
      const resource = client().of({ ...kind });
      const object = { metadata: { name: 'x', ...(kind.namespaced && at) }, spec: {} };
      const error = await resource.create(object as never, { dryRun: true }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).message).toContain(
        `Vireo does not run ${kind.kind} (${kind.group}/${kind.version}) yet`,
      );
    },
  );
});

describe('whoever deletes a VM', () => {
  const vmis = () => client().of(kubevirt.VirtualMachineInstance);
  const vms = () => client().of(kubevirt.VirtualMachine);
  const createVmi = (name: string, ownerReferences: object[] = []) =>
    vmis().create({
      metadata: { name, ...at, finalizers: ['example.com/held'], ownerReferences: ownerReferences as never },
      spec: { terminationGracePeriodSeconds: 600, domain: { devices: {}, memory } },
    });
  const grace = async (name: string) => (await vmis().get(name, at)).spec.terminationGracePeriodSeconds;
  const running = async (name: string) => {
    const { metadata } = await vms().create(vm(name));
    await vms().patchStatus(name, { status: { created: true } }, { ...at, type: 'merge' });
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: metadata.uid, controller: true };
    await createVmi(name, [owner]);
  };

  it('gives the guest as long as kubectl --grace-period says, now or later', async () => {
    await createVmi('lone');
    await vmis().delete('lone', { ...at, gracePeriodSeconds: 900 });
    expect(await grace('lone')).toBe(600);
    await vmis().delete('lone', { ...at, gracePeriodSeconds: 1 });
    expect(await grace('lone')).toBe(1);
    await vmis().delete('lone', { ...at, gracePeriodSeconds: 0 });
    expect(await grace('lone')).toBe(0);
  });

  it('ends the guest of a VM at once by --grace-period=0', async () => {
    await running('forced');
    await vms().delete('forced', { ...at, gracePeriodSeconds: 0 });
    expect(await grace('forced')).toBe(0);
  });

  it('leaves a guest alone that is to outlive its VM', async () => {
    await running('orphaning');
    await vms().delete('orphaning', { ...at, gracePeriodSeconds: 0, propagationPolicy: 'Orphan' });
    expect(await grace('orphaning')).toBe(600);
  });

  it('gets a warning about a long wait, and how to end it', async () => {
    await running('slow');
    const object = await vms().get('slow', at);
    const admission = {
      operation: 'DELETE',
      object,
      user: { username: 'jane', groups: [] },
      deletion: { isOrphaning: false },
    } as const;
    const context = { client: client(), config: async () => clusterConfig(undefined) };
    expect(await propagateDeletionGrace.validate(admission, context)).toEqual({
      errors: [],
      warnings: [
        'the guest has up to 600 s to shut down; to power it off now: kubectl delete vm slow -n default --grace-period=0 --force',
      ],
    });
  });
});
